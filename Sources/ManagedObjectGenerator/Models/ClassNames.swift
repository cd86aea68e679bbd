import ObjectModel

/// Maps the class names in a model to the classes that the target declares.
struct ClassNames {
  let table: TypeTable

  /// Returns the name of the class of an entity's objects, without a module; nil for plain managed objects.
  static func plain(_ entity: NSEntityDescription) -> String? {
    guard let name = entity.representedClassName?.split(separator: ".").last.map(String.init),
      name != "NSManagedObject"
    else { return nil }
    return name
  }

  /// Returns the class name for the compiled model: with its module, as Apple's compiler writes it for "Current Product
  /// Module", so that the class is found without being registered.
  ///
  /// A model contains the Objective-C name of a class, which may differ from the Swift name.
  func compiled(_ name: String) -> String {
    let parts = name.split(separator: ".").map(String.init)
    // A class of another module keeps its name, because that module declares it.
    guard let plain = parts.last, parts.count == 1 || parts[0] == table.module else { return name }
    guard let path = path(of: plain) else { return name }
    return ([table.module] + path).joined(separator: ".")
  }

  /// Returns the path of the target's class with a name; nil if there is none, or if the name is ambiguous.
  func path(of name: String) -> [String]? {
    if !table.own([name]).isEmpty { return [name] }
    let byOtherName = table.ownClasses.filter { $0.objectiveCName == name }
    let nested = table.ownClasses.filter { $0.name == name }
    let found = byOtherName.isEmpty ? nested : byOtherName
    // With several classes, the model does not say which one it means.
    guard found.count == 1, let only = found.first else { return nil }
    return TypeTable.withoutModule(only.path, table.module)
  }
}
