import CoreData

let container = try openContacts()
let context = container.viewContext

let rows = [
  ("Ada", "Lovelace", "Analytical Engines"),
  ("Grace", "Hopper", "Navy"),
  ("Alan", "Turing", "Bletchley Park"),
  ("Charles", "Babbage", "Analytical Engines"),
  ("Joan", "Clarke", "Bletchley Park"),
]
for (place, row) in rows.enumerated() {
  let person = Person(context: context)
  (person.firstName, person.lastName, person.company) = row
  person.displayOrder = Int32(place + 1)
}
print("Unsaved:", context.insertedObjects.count)

try context.save()
print("Saved:", try context.count(for: Person.fetchRequest()))
