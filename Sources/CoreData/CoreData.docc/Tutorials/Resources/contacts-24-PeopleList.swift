import CoreData

/// People in sections by employer, in the user's own order.
final class PeopleList: NSObject {
  let controller: NSFetchedResultsController<Person>

  init(_ context: NSManagedObjectContext) throws {
    let request = Person.fetchRequest()
    request.sortDescriptors = [
      NSSortDescriptor(keyPath: \Person.employer, ascending: true),
      NSSortDescriptor(keyPath: \Person.displayOrder, ascending: true),
    ]
    controller = NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: context,
      sectionNameKeyPath: "employer", cacheName: nil)
    super.init()
    try controller.performFetch()
  }

  func show() {
    for section in controller.sections ?? [] {
      print(section.name)
      for person in section.objects as? [Person] ?? [] {
        print("  \(person.fullName)")
      }
    }
  }
}
