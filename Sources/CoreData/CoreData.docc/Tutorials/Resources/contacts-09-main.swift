import CoreData

let container = try openContacts()
let context = container.viewContext

let request = Person.fetchRequest()
request.sortDescriptors = [
  NSSortDescriptor(keyPath: \Person.lastName, ascending: true),
  NSSortDescriptor(keyPath: \Person.firstName, ascending: true),
]
if let text = CommandLine.arguments.dropFirst().first {
  request.predicate = NSPredicate(
    format: "lastName BEGINSWITH[cd] %@ OR company CONTAINS[cd] %@", text, text)
}
for person in try context.fetch(request) {
  print(person.lastName, person.firstName, separator: ", ")
}
