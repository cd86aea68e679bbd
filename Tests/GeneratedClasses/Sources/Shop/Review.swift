// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// As programs have it.

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
}

public class Tag: NSManagedObject {
  public var title: String { name ?? "untitled" }
}

public enum ShopModel {
  public static var compiled: URL? { Bundle.module.url(forResource: "Shop", withExtension: "momd") }
  public static var merged: NSManagedObjectModel? {
    NSManagedObjectModel.mergedModel(from: [Bundle.module])
  }
}
