import CoreData

let container = try openContacts()
let context = container.viewContext
let list = try PeopleList(context)
list.controller.delegate = list

try list.controller.moveObject(
  from: IndexPath(row: 2, section: 1), to: IndexPath(row: 0, section: 1))
for person in context.updatedObjects {
  print("changed:", person.changedValues())
}
try context.save()

list.show()
