import CoreData

let container = try openContacts()
let context = container.viewContext

let request = Person.fetchRequest()
request.sortDescriptors = [
  NSSortDescriptor(keyPath: \Person.lastName, ascending: true),
  NSSortDescriptor(keyPath: \Person.firstName, ascending: true),
]
for person in try context.fetch(request) {
  print(person.lastName, person.firstName, separator: ", ")
}
