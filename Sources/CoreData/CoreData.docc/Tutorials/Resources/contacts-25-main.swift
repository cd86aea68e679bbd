import CoreData

let container = try openContacts()
let context = container.viewContext
let list = try PeopleList(context)

let ada = list.controller.object(at: IndexPath(row: 0, section: 0))
ada.email = "ada@example.com"
try context.save()

list.show()
