/// What sources and models tell of a program's classes: which ones are those of managed objects, transformers and
/// migration policies, what their members are, and the names that their properties have as keys.
package struct ManagedClasses {
  /// A property as Objective-C knows it.
  struct Property {
    /// The name that it has or is given there.
    let key: String
    /// The type of what it leads to: of the members, for a set or an array.
    let destination: String?
    /// The type that it has: `Set` for a set of people, `NSSet` for one that does not say of whom.
    let type: String?
    /// Whether Objective-C finds it by its name.
    let isExposed: Bool
    /// Whether Objective-C finds it in a class whose members it all finds.
    let isExposable: Bool
    /// Whether its key is that of what it overrides.
    let isOverride: Bool
  }

  /// A class that is not among the sources, or not whole, as a model has it generated.
  package struct Generated {
    /// The name of the class.
    package let name: String
    /// The class that it derives from; nil for an extension of one that is written by hand.
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
  /// The types of the parameters of methods, initialisers and functions, by what they belong to (nothing, for
  /// functions) and their names with labels: `insert(_:at:)`.
  var functions: [String: [String: [[String?]]]] = [:]
  /// The initialisers that are not for convenience, by their labels.
  var designated: [String: Set<[String]>] = [:]
  /// The classes with properties that are `@NSManaged`.
  var withManagedProperties: Set<String> = []
  /// The classes all of whose members Objective-C finds.
  var withExposedMembers: Set<String> = []
  /// The classes that models have generated as a whole.
  private(set) var generated: Set<String> = []
  /// Types that are used as those of managed objects are: fetched, or given their methods.
  var presumed: Set<String> = []
  /// Types inside of others: `Shop.Kind`.
  var nested: Set<String> = []
  /// Structures and enumerations.
  var values: Set<String> = []
  /// Other names of types.
  var aliases: [String: String] = [:]
  /// The methods `value(for…)`, by the classes and the labels of their first arguments.
  var valueMethods: [String: [String: String]] = [:]

  package init(of sources: [String], generating models: [Generated] = []) {
    for source in sources { parse(source) }
    for type in models { add(type) }
  }

  private mutating func add(_ type: Generated) {
    if let base = type.base, bases[type.name] == nil {
      bases[type.name] = base
      generated.insert(type.name)
    }
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

  /// Whether a class is made by a plugin or by Xcode, so that nothing can be written into it.
  func isGenerated(_ name: String) -> Bool { generated.contains(name) }

  func isNested(_ name: String, in type: String) -> Bool {
    lineage(of: type).contains { nested.contains("\($0).\(name)") }
  }

  func isManagedObject(_ name: String) -> Bool {
    let lineage = lineage(of: name)
    if lineage.contains(where: { $0 == "NSManagedObject" || withManagedProperties.contains($0) }) {
      return true
    }
    // One that is generated, from a model that is not seen.
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

  /// A class, and those that it derives from.
  func lineage(of name: String) -> [String] {
    var names = [name]
    while let last = names.last, let base = bases[last], !names.contains(base) {
      names.append(base)
    }
    return names
  }

  // MARK: Members

  func property(_ name: String, of type: String) -> Property? {
    lineage(of: type).lazy.compactMap { properties[$0]?[name] }.first
  }

  /// The property that says under which key Objective-C finds a name; nil where no source has it.
  func propertyWithKey(_ name: String, of type: String) -> Property? {
    lineage(of: type).lazy.compactMap { properties[$0]?[name] }.first { !$0.isOverride }
  }

  /// Whether Objective-C finds a class's property by its name.
  func isExposed(_ property: Property, of type: String) -> Bool {
    property.isExposed
      || property.isExposable && !values.contains(property.type ?? "")
        && lineage(of: type).contains(where: withExposedMembers.contains)
  }

  /// Whether a class or one that it derives from answers for a name in its method `value(LABEL:…)`.
  func isAnswered(_ name: String, by label: String, in type: String) -> Bool {
    lineage(of: type).contains { valueMethods[$0]?[label]?.contains("\"\(name)\"") == true }
  }

  /// The types of the parameters of a class's methods of a name.
  func methods(_ name: String, of type: String) -> [[String?]] {
    lineage(of: type).flatMap { functions[$0]?[name] ?? [] }
  }

  /// The types of the parameters of all methods of a name.
  func methods(_ name: String) -> [[String?]] { functions.values.flatMap { $0[name] ?? [] } }

  // MARK: Initialisers

  /// The initialisers that are not for convenience which a class derived from this one has to have, to inherit the
  /// others. All managed objects have the one that the library requires.
  func designatedInitialisers(of name: String) -> Set<[String]> {
    let own = lineage(of: name).lazy.compactMap { designated[$0] }.first { !$0.isEmpty }
    return (own ?? []).union([["entity", "insertInto"]])
  }

  // MARK: Sets

  /// The class of sets without types of members that a name stands for.
  func setClass(_ type: String?) -> String? {
    guard let type else { return nil }
    let name = aliases[type] ?? type
    return ["NSSet", "NSMutableSet", "NSCountedSet"].contains(name) ? name : nil
  }

  /// The same of the properties of a name, where it is one for all types that have such a property.
  func setClassOfProperties(_ name: String) -> String? {
    let types = Set(properties.values.compactMap { $0[name] }.map { setClass($0.type) })
    return types.count == 1 ? types.first.flatMap { $0 } : nil
  }
}
