import CoreData

let container = try openContacts()
let context = container.viewContext
let list = try PeopleList(context)
list.show()

let request = Phone.fetchRequest()
request.sortDescriptors = [NSSortDescriptor(keyPath: \Phone.number, ascending: true)]
for phone in try context.fetch(request) {
  print(phone.person?.fullName ?? "", phone.label ?? "", phone.number ?? "")
}
