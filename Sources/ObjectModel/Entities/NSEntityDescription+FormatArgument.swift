// Allows entities as arguments for `%@`: `NSPredicate(format: "entity == %@", entity)`.

extension NSEntityDescription: CVarArg {}
