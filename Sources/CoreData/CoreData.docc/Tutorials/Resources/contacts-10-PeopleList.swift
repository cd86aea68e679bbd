import CoreData

/// People in sections by company, in the user's own order.
final class PeopleList: NSObject {
  let controller: NSFetchedResultsController<Person>

  init(_ context: NSManagedObjectContext) throws {
    let request = Person.fetchRequest()
    request.sortDescriptors = [
      NSSortDescriptor(keyPath: \Person.company, ascending: true),
      NSSortDescriptor(keyPath: \Person.displayOrder, ascending: true),
    ]
    controller = NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: context,
      sectionNameKeyPath: "company", cacheName: nil)
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
