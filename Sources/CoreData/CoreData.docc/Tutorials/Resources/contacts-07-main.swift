import CoreData

let container = try openContacts()
let context = container.viewContext

let request = Person.fetchRequest()
for person in try context.fetch(request) {
  print(person.fullName)
}
