import CoreData

let container = try openContacts()
let context = container.viewContext
let list = try PeopleList(context)
list.controller.delegate = list

let ada = list.controller.object(at: IndexPath(row: 0, section: 0))
ada.lastName = "King"
let grace = list.controller.object(at: IndexPath(row: 0, section: 2))
grace.company = "Bletchley Park"
try context.save()

list.show()
