import CoreData

let container = try openContacts()
let context = container.viewContext
let list = try PeopleList(context)
list.controller.delegate = list

let person = Person(context: context)
person.firstName = "Edsger"
person.company = "Mathematical Centre"
do {
  try context.save()
} catch {
  print(error.localizedDescription)
}

person.lastName = "Dijkstra"
try context.save()
print("Unsaved changes:", context.hasChanges)
