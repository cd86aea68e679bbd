import CoreData

let container = try openContacts()
let context = container.viewContext

let request = Person.fetchRequest()
request.predicate = NSPredicate(format: "ANY phones.label == %@", "work")
request.sortDescriptors = [NSSortDescriptor(keyPath: \Person.lastName, ascending: true)]
let reachable = try context.fetch(request)
print("At work:", reachable.map(\.fullName))

request.predicate = NSPredicate(format: "phones.@count == 0")
print("Without a phone:", try context.count(for: request))

print("Phones:", try context.count(for: Phone.fetchRequest()))
context.delete(reachable[1])
try context.save()
print("Phones without Alan's:", try context.count(for: Phone.fetchRequest()))
