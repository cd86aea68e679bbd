// Makes entities arguments for `%@`: `NSPredicate(format: "entity == %@", entity)`.

extension NSEntityDescription: CVarArg {}
