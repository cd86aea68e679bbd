import CoreData
import Foundation

/// A person in the app's list. The class and its properties are written by hand, not generated.
#if canImport(ObjectiveC)
  @objc(Person)
#endif
public class Person: NSManagedObject {
  var fullName: String {
    [firstName, lastName].compactMap { $0 }.joined(separator: " ")
  }

  /// The next number in the user's order.
  class func nextDisplayOrder(in context: NSManagedObjectContext) throws -> Int32 {
    let request: NSFetchRequest<Person> = Person.fetchRequest()
    request.sortDescriptors = [NSSortDescriptor(key: "displayOrder", ascending: false)]
    request.fetchLimit = 1
    return (try context.fetch(request).first?.displayOrder ?? 0) + 1
  }
}
