/// What sources and models declare about a program's classes: which of them are managed objects, transformers and
/// migration policies, what members they have, and which keys their properties have.
package struct ManagedClasses {
  /// A property with its Objective-C attributes.
  struct Property {
    /// The property's Objective-C name, declared or implicit.
    let key: String
    /// The type that a key path continues with: the element type of a set or an array.
    let destination: String?
    /// The declared type: `Set` for a set of people, `NSSet` for an untyped set.
    let type: String?
    /// Whether Objective-C finds it by its name.
    let isExposed: Bool
    /// Whether Objective-C finds it by its name if its class exposes all members.
    let isExposable: Bool
    /// Whether it overrides another property, and so has that property's key.
    let isOverride: Bool
  }

  /// A class that is generated from a model, completely or in part.
  package struct Generated {
    /// The name of the class.
    package let name: String
    /// The superclass; nil for an extension of a class that is written by hand.
    package let base: String?
    /// The types of the properties by their names; nil for one whose type does not matter.
    package let properties: [String: String?]

    package init(name: String, base: String?, properties: [String: String?]) {
      self.name = name
      self.base = base
      self.properties = properties
    }
  }

  var bases: [String: String] = [:]
  var properties: [String: [String: Property]] = [:]
  /// The parameter types of methods, initializers and functions, by the enclosing type (the empty string for functions)
  /// and by their names with labels: `insert(_:at:)`.
  var functions: [String: [String: [[String?]]]] = [:]
  /// The labels of each designated initializer, by class.
  var designated: [String: Set<[String]>] = [:]
  /// The classes with `@NSManaged` properties.
  var withManagedProperties: Set<String> = []
  /// The classes that expose all their members to Objective-C.
  var withExposedMembers: Set<String> = []
  /// The classes that are generated completely.
  private(set) var generated: Set<String> = []
  /// Types that are used like managed objects: sources fetch them, or override life cycle methods such as `willSave()`
  /// in their extensions.
  var presumed: Set<String> = []
  /// Types inside other types: `Shop.Kind`.
  var nested: Set<String> = []
  /// Structures and enumerations.
  var values: Set<String> = []
  var aliases: [String: String] = [:]
  /// The bodies of the methods `value(…)`, by class and by the label of the first parameter.
  var valueMethods: [String: [String: String]] = [:]

  package init(of sources: [String], generating models: [Generated] = []) {
    for source in sources { parse(source) }
    for type in models { add(type) }
  }

  private mutating func add(_ type: Generated) {
    // Sources may contain the generated classes, too. The sources are more precise than the model.
    if let base = type.base, bases[type.name] == nil {
      bases[type.name] = base
      generated.insert(type.name)
    }
    // If only an extension is generated, the class that is written by hand is a managed object class, too.
    withManagedProperties.insert(type.name)
    for (name, valueType) in type.properties where properties[type.name]?[name] == nil {
      properties[type.name, default: [:]][name] = Property(
        key: name, destination: valueType, type: valueType, isExposed: true, isExposable: true,
        isOverride: false)
      guard valueType == "NSSet" else { continue }
      let end = name.prefix(1).uppercased() + name.dropFirst()
      for beginning in ["addTo", "removeFrom"] {
        functions[type.name, default: [:]]["\(beginning)\(end)(_:)", default: []].append(["NSSet"])
      }
    }
  }

  // MARK: Classes

  func isKnown(_ name: String) -> Bool { bases[name] != nil }

  /// Returns whether Xcode or the plugin generates a class, so that nothing can be added to its declaration.
  func isGenerated(_ name: String) -> Bool { generated.contains(name) }

  func isNested(_ name: String, in type: String) -> Bool {
    lineage(of: type).contains { nested.contains("\($0).\(name)") }
  }

  func isManagedObject(_ name: String) -> Bool {
    let lineage = lineage(of: name)
    if lineage.contains(where: { $0 == "NSManagedObject" || withManagedProperties.contains($0) }) {
      return true
    }
    // The class may be generated from a model that is not known here.
    return !isKnown(name) && !values.contains(name) && presumed.contains(name)
  }

  func isMigrationPolicy(_ name: String) -> Bool {
    lineage(of: name).dropFirst().contains("NSEntityMigrationPolicy")
  }

  func isValueTransformer(_ name: String) -> Bool {
    lineage(of: name).dropFirst().contains {
      ["ValueTransformer", "NSSecureUnarchiveFromDataTransformer"].contains($0)
    }
  }

  /// Returns a class and its superclasses.
  func lineage(of name: String) -> [String] {
    var names = [name]
    // In sources that do not compile, a class may be its own ancestor.
    while let last = names.last, let base = bases[last], !names.contains(base) {
      names.append(base)
    }
    return names
  }

  // MARK: Members

  func property(_ name: String, of type: String) -> Property? {
    lineage(of: type).lazy.compactMap { properties[$0]?[name] }.first
  }

  /// Returns the property that determines the key of a name; nil if no source declares it. An override has the key of
  /// the property that it overrides.
  func propertyWithKey(_ name: String, of type: String) -> Property? {
    lineage(of: type).lazy.compactMap { properties[$0]?[name] }.first { !$0.isOverride }
  }

  /// Returns whether Objective-C finds a class's property by its name.
  func isExposed(_ property: Property, of type: String) -> Bool {
    property.isExposed
      || property.isExposable && !values.contains(property.type ?? "")
        && lineage(of: type).contains(where: withExposedMembers.contains)
  }

  /// Returns whether a class or one of its superclasses handles a name in its method `value(LABEL:…)`.
  func handles(_ name: String, by label: String, in type: String) -> Bool {
    lineage(of: type).contains { valueMethods[$0]?[label]?.contains("\"\(name)\"") == true }
  }

  /// Returns the parameter types of a class's methods with a name.
  func methods(_ name: String, of type: String) -> [[String?]] {
    lineage(of: type).flatMap { functions[$0]?[name] ?? [] }
  }

  /// Returns the parameter types of all methods with a name.
  func methods(_ name: String) -> [[String?]] { functions.values.flatMap { $0[name] ?? [] } }

  // MARK: Initializers

  /// Returns the designated initializers that a subclass has to implement to inherit the others. All managed objects
  /// have the one that the library requires.
  func designatedInitializers(of name: String) -> Set<[String]> {
    let own = lineage(of: name).lazy.compactMap { designated[$0] }.first { !$0.isEmpty }
    return (own ?? []).union([["entity", "insertInto"]])
  }

  // MARK: Sets

  /// Returns the untyped set class that a name stands for.
  func setClass(_ type: String?) -> String? {
    guard let type else { return nil }
    let name = aliases[type] ?? type
    return ["NSSet", "NSMutableSet", "NSCountedSet"].contains(name) ? name : nil
  }

  /// Returns the untyped set class of the properties with a name; nil unless all of them have the same untyped set
  /// class.
  func setClassOfProperties(_ name: String) -> String? {
    let types = Set(properties.values.compactMap { $0[name] }.map { setClass($0.type) })
    return types.count == 1 ? types.first.flatMap { $0 } : nil
  }
}
