// What programs pass for `%@`: `NSPredicate(format: "entity == %@", entity)`.

extension NSEntityDescription: CVarArg {}
