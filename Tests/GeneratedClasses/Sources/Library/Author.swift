// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// As programs have it.

import CoreData
import Foundation

/// Every form in which properties and methods are declared.
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

  public func bear(on date: Date?) { born = date }
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

/// A class that overrides another's property.
public final class Poet: Author {
  @NSManaged public var rhyme: String?

  public override var name: String {
    get { super.name + " the poet" }
    set { super.name = newValue }
  }
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
  public static var compiled: URL? {
    Bundle.module.url(forResource: "Library", withExtension: "mom")
  }
}
