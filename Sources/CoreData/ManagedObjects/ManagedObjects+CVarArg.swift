// Arguments for `%@`: `NSPredicate(format: "team == %@", team)`.

extension NSManagedObject: CVarArg {}
extension NSManagedObjectID: CVarArg {}
extension NSPersistentHistoryToken: CVarArg {}
