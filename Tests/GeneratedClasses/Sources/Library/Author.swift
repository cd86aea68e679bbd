// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Written as programs write their classes.

import CoreData
import Foundation
import Shop

/// Has every form in which properties and methods are declared.
open class Author: NSManagedObject {
  public enum State: Int16 { case draft, known, famous }
  typealias Friends = Set<Author>

  @NSManaged open var name: String
  @NSManaged public var `default`: String?
  @NSManaged public private(set) var born: Date?
  @NSManaged var größe: Int32
  @NSManaged var data: Data?
  @NSManaged var decimal: NSDecimalNumber?
  @NSManaged final var flag: Bool
  @NSManaged var float: Float
  @NSManaged var int16, int64: Int64
  @NSManaged var number: NSNumber?
  @NSManaged var page: URL?
  @NSManaged var ratio: Double
  @NSManaged public var state: State
  @NSManaged var uuid: UUID!
  @NSManaged var words: [String]?
  @NSManaged var novels: NSOrderedSet?
  @NSManaged private var secret: String?
  @NSManaged fileprivate var nickname: String?

  // Primitive values in every form.
  @NSManaged private var primitiveBorn: TimeInterval
  @NSManaged private var primitiveState: State
  @NSManaged private var primitiveInt16: Int16
  @NSManaged private var primitiveName: String?
  #if DEBUG
    // A private enumeration: the generated accessors refuse it in optimized builds with an `#error`.
    private enum Mood: Int16 { case calm = 3, wild = 7 }
    @NSManaged private var mood: Mood
  #endif
  // Not a primitive value: the model has a property of this name.
  @NSManaged var primitiveType: String?
  // Private classes.
  @NSManaged private var critic: Critic?
  @NSManaged private var critics: Set<Critic>

  public func bear(on date: Date?) { born = date }

  public func holdPrimitives() {
    primitiveBorn += 1
    primitiveState = .known
    primitiveInt16 += 1
    primitiveName = primitiveName.map { "\($0) held" }
  }

  #if DEBUG
    public func rage() { mood = mood == .wild ? .calm : .wild }
  #endif

  public func praise(_ words: String) {
    let critic = Critic(context: managedObjectContext!)
    critic.words = words
    critics.insert(critic)
    self.critic = critic
  }

  public var praises: [String] {
    (critics.map { $0.words ?? "" } + [critic?.words ?? "none"]).sorted()
  }
  public var hidden: String? {
    get { (secret ?? "") + (nickname ?? "") }
    set {
      secret = newValue.map { String($0.prefix(1)) }
      nickname = newValue.map { String($0.dropFirst()) }
    }
  }
}

extension Author {
  @NSManaged var friends: Friends

  #if canImport(ObjectiveC)
    @objc(addFriendsObject:)
  #endif
  @NSManaged func addToFriends(_ value: Author)
  @NSManaged func removeFromFriends(_ values: NSSet)
}

extension Author {
  #if DEBUG
    @NSManaged func addToNovels(_ value: Works.Novel)
  #else
    @NSManaged func addToNovels(_ value: Works.Novel)
  #endif
  @NSManaged func insertIntoNovels(_ value: Works.Novel, at idx: Int)
  @NSManaged func removeFromNovels(at idx: Int)
  @NSManaged func replaceNovels(at idx: Int, with value: Works.Novel)
  @NSManaged func insertIntoNovels(_ values: [Works.Novel], at indexes: NSIndexSet)
}

/// A class that overrides a property of its superclass.
public final class Poet: Author {
  @NSManaged public var rhyme: String?

  public override var name: String {
    get { super.name + " the poet" }
    set { super.name = newValue }
  }
}

private final class Critic: NSManagedObject {
  @NSManaged var words: String?
  @NSManaged var authors: Set<Author>
}

/// A shelf holds objects that the model of another module describes.
public class Shelf: NSManagedObject {
  @NSManaged var product: Product?
}

public enum Works {
  #if canImport(ObjectiveC)
    @objc(CDNovel)
  #endif
  public final class Novel: NSManagedObject {
    @NSManaged public internal(set) var title: String?
    @NSManaged var author: Author?
  }
}

public enum LibraryModel {
  /// Registers the private class, because it cannot be found by its name.
  public static func registerPrivateClasses() { ManagedObjectClasses.register([Critic.self]) }
  public static var compiled: URL? {
    Bundle.module.url(forResource: "Library", withExtension: "mom")
  }
}
