import CoreData

@objc(Person)
class Person: NSManagedObject {
  @NSManaged var name: String?

  static let order = NSSortDescriptor(key: #keyPath(Person.name), ascending: true)
}
