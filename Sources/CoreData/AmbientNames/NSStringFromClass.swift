/// The name of a class of managed objects, by which a model may call it: `Shop.Person`.
///
/// For a class that its name alone does not lead to, one that is private, nested or inside a function, this
/// makes the class known; see ``ManagedObjectClasses``.
///
/// Compared to Apple's: Foundation's function of this name stops the program for such a class here.
public func NSStringFromClass(_ type: NSManagedObject.Type) -> String {
  ManagedObjectClasses.name(of: type)
}
