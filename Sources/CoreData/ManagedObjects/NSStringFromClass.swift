/// Returns the name of a managed object class for use in a model: `Shop.Person`.
///
/// A private, nested or local class cannot be found by its name, so this function registers it; see
/// ``ManagedObjectClasses``.
///
/// Compared to Apple's platforms: on Linux, Foundation's function stops the program for such a class.
public func NSStringFromClass(_ type: NSManagedObject.Type) -> String {
  ManagedObjectClasses.name(of: type)
}

/// Returns the name of a transformer class: `Shop.PriceTransformer`. For a nested, generic, private
/// or local class, this is the name as written in Swift, which private or local classes may share.
///
/// Compared to Apple's platforms: on Linux, Foundation's function stops the program for such a class.
public func NSStringFromClass(_ type: ValueTransformer.Type) -> String {
  ManagedObjectClasses.writtenName(of: type)
}
