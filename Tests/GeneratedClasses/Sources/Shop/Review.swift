// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Classes as programs write them.

import CoreData
import Foundation
import Values

#if canImport(ObjectiveC)
  @objc(Review)
#endif
public class Review: NSManagedObject {
  @NSManaged public var text: String
  @NSManaged public private(set) var stars: Stars
  @NSManaged public var product: Product?
  @NSManaged private var primitiveCreated: Date?

  public var created: Date? {
    get {
      willAccessValue(forKey: "created")
      defer { didAccessValue(forKey: "created") }
      return primitiveCreated
    }
    set {
      willChangeValue(forKey: "created")
      primitiveCreated = newValue
      didChangeValue(forKey: "created")
    }
  }

  public func rate(_ stars: Stars) { self.stars = stars }

  // A class that declares an initializer does not inherit the required ones. `coredata port` adds them like this.
  public init(text: String, in context: NSManagedObjectContext) {
    super.init(entity: Review.entity(), insertInto: context)
    self.text = text
  }
  required override public init(
    entity: NSEntityDescription, insertInto context: NSManagedObjectContext?
  ) {
    super.init(entity: entity, insertInto: context)
  }

  // Without this method, setting nil for the scalar `stars` would leave it without a value.
  public override func setNilValueForKey(_ key: String) {
    if key == "stars" { stars = .none } else { super.setNilValueForKey(key) }
  }
}

/// A subclass of a class with an initializer of its own. It is not in the model.
public class LongReview: Review {
  public init(chapters: [String], in context: NSManagedObjectContext) {
    super.init(text: chapters.joined(separator: "\n"), in: context)
  }
  required override public init(
    entity: NSEntityDescription, insertInto context: NSManagedObjectContext?
  ) {
    super.init(entity: entity, insertInto: context)
  }
  required public convenience init(context: NSManagedObjectContext) {
    self.init(entity: Self.entity(), insertInto: context)
  }
}

public class Tag: NSManagedObject {
  public var title: String { name ?? "untitled" }
}

public enum ShopModel {
  public static var compiled: URL? { Bundle.module.url(forResource: "Shop", withExtension: "momd") }
  public static var merged: NSManagedObjectModel? {
    NSManagedObjectModel.mergedModel(from: [Bundle.module])
  }
  public static var mapping: URL? {
    Bundle.module.url(forResource: "ShopToShop2", withExtension: "cdm")
  }
  public static func version(_ name: String) -> NSManagedObjectModel? {
    Bundle.module.url(forResource: name, withExtension: "mom", subdirectory: "Shop.momd")
      .flatMap { NSManagedObjectModel(contentsOf: $0) }
  }
}

/// Turns products into books.
public final class BookPolicy: NSEntityMigrationPolicy {
  public override func createDestinationInstances(
    forSource source: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
  ) throws {
    let book = NSEntityDescription.insertNewObject(
      forEntityName: "Book", into: manager.destinationContext)
    book.setValue(source.value(forKey: "name"), forKey: "name")
    book.setValue("migrated", forKey: "isbn")
    manager.associate(sourceInstance: source, withDestinationInstance: book, for: mapping)
  }
}
