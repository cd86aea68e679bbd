import CoreData

let container = try openContacts()
let context = container.viewContext

let numbers = [
  ("King", "home", "555-0101"), ("King", "work", "555-0102"), ("Turing", "work", "555-0103"),
]
for (lastName, label, number) in numbers {
  let request = Person.fetchRequest()
  request.predicate = NSPredicate(format: "lastName == %@", lastName)
  let phone = Phone(context: context)
  phone.label = label
  phone.number = number
  phone.person = try context.fetch(request).first
}
try context.save()

let request = Person.fetchRequest()
request.sortDescriptors = [NSSortDescriptor(keyPath: \Person.lastName, ascending: true)]
for person in try context.fetch(request) {
  print(person.fullName, person.phones.map(\.number).sorted())
}
