// This file is as Xcode writes it: without documentation.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import CoreData
import Foundation

extension Person {
  @nonobjc public class func fetchRequest() -> NSFetchRequest<Person> {
    return NSFetchRequest<Person>(entityName: "Person")
  }

  @NSManaged public var age: Int16
  @NSManaged public var displayOrder: Int32
  @NSManaged public var firstName: String?
  @NSManaged public var lastName: String
}

extension Person: Identifiable {}
