import CoreData

try NSManagedObjectModel.contacts.validate()
for entity in NSManagedObjectModel.contacts.entities {
  print(entity.name ?? "", entity.attributesByName.keys.sorted())
}
