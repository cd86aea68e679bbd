/// The name of a class of managed objects, by which a model may call it: `Shop.Person`.
///
/// For a class that its name alone does not lead to, one that is private, nested or inside a function, this
/// makes the class known; see ``ManagedObjectClasses``.
///
/// Compared to Apple's: Foundation's function of this name stops the program for such a class here.
public func NSStringFromClass(_ type: NSManagedObject.Type) -> String {
  ManagedObjectClasses.name(of: type)
}

/// The name of a class of transformers: `Shop.PriceTransformer`; as it is written in Swift, for one that is nested,
/// generic, private or inside a function. Of the last two kinds several classes may have one name.
///
/// Compared to Apple's: Foundation's function of this name stops the program for such a class here.
public func NSStringFromClass(_ type: ValueTransformer.Type) -> String {
  ManagedObjectClasses.writtenName(of: type)
}
