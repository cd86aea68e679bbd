import CoreData

/// Opens the contacts in the current folder. The first call creates the file.
func openContacts() throws -> NSPersistentContainer {
  let container = NSPersistentContainer(name: "Contacts")
  container.persistentStoreDescriptions = [
    NSPersistentStoreDescription(url: URL(fileURLWithPath: "Contacts.sqlite"))
  ]
  var failure: (any Error)?
  container.loadPersistentStores { _, error in failure = error }
  if let failure { throw failure }
  return container
}
