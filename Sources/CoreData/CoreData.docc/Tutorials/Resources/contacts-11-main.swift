import CoreData

let container = try openContacts()
let context = container.viewContext
let list = try PeopleList(context)
list.show()
