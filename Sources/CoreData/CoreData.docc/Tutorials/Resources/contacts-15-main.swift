import CoreData

let container = try openContacts()
let context = container.viewContext
let list = try PeopleList(context)
list.controller.delegate = list

let charles = list.controller.object(at: IndexPath(row: 1, section: 0))
context.delete(charles)
try context.save()

print("Left:", try context.count(for: Person.fetchRequest()))
