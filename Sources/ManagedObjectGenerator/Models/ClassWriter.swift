import ObjectModel

/// Writes the classes of a model's entities, and extensions of hand-written classes, with the members that Xcode
/// generates.
struct ClassWriter {
  let model: SourceModel
  /// What the target's sources declare.
  let table: TypeTable
  /// Whether the target's sources import CoreData publicly.
  let importsPublicly: Bool
  /// Other modules that declare types used by the classes.
  var modules: [String] = []

  /// What is generated for an entity.
  enum Generation: String {
    case `class`, category
  }

  static func generation(_ entity: NSEntityDescription) -> Generation? {
    guard ClassNames.plain(entity) != nil else { return nil }
    return entity.codeGenerationType.flatMap(Generation.init(rawValue:))
  }

  var text: String {
    var text = AccessorWriter.head
    if importsPublicly {
      text += imports("public ")
    } else {
      // The classes are public, so if imports are internal by default, these have to be public.
      text += "#if hasFeature(InternalImportsByDefault)\n\(imports("public "))#else\n"
      text += "\(imports(""))#endif\n"
    }
    for entity in model.entities {
      guard let generation = Self.generation(entity), let name = ClassNames.plain(entity) else {
        continue
      }
      text += self.text(entity, TypeSpelling.escaped(name), keys: "_\(name)Keys", generation)
    }
    return text
  }

  private func imports(_ access: String) -> String {
    (["CoreData"] + modules.map(TypeSpelling.escaped)).map { "\(access)import \($0)\n" }.joined()
  }

  private func text(
    _ entity: NSEntityDescription, _ name: String, keys: String, _ generation: Generation
  ) -> String {
    let entityName = entity.name ?? ""
    let plain = name.filter { $0 != "`" }
    var text = "\n"
    if generation == .class { text += "public typealias \(plain)CoreDataClassSet = NSSet\n" }
    text += "public typealias \(plain)CoreDataPropertiesSet = NSSet\n"
    let names = entity.ownProperties.map(\.name)
    if !names.isEmpty {
      text += "\nprivate enum \(keys) {\n"
      for (number, name) in names.enumerated() {
        text +=
          "  nonisolated static let key\(number) = ManagedKey(\(AccessorWriter.literal(name)))\n"
      }
      text += "}\n"
    }
    let above = entity.superentity.flatMap(ClassNames.plain).map(TypeSpelling.escaped)
    let head =
      generation == .class
      ? "public class \(name): \(above ?? "NSManagedObject")" : "extension \(name)"
    text += "\n\(head) {\n"
    for (number, property) in entity.ownProperties.enumerated() {
      text += member(property, "\(keys).key\(number)")
    }
    text += "}\n"
    text += """

      extension \(name) {
        @nonobjc public class func fetchRequest() -> NSFetchRequest<\(name)> {
          NSFetchRequest<\(name)>(entityName: \(AccessorWriter.literal(entityName)))
        }
      }

      """
    if !isIdentifiable(entity) { text += "\nextension \(name): Identifiable {}\n" }
    return text
  }

  /// Returns whether a class already conforms to Identifiable, by itself or by inheritance.
  private func isIdentifiable(_ entity: NSEntityDescription) -> Bool {
    entity.lineage.contains { other in
      // Each generated class conforms, and so do its subclasses; conforming again is an error.
      other !== entity && Self.generation(other) != nil
        || ClassNames.plain(other).map { table.conforms([$0], to: "Identifiable") } == true
    }
  }

  private func member(_ property: NSPropertyDescription, _ key: String) -> String {
    switch property {
    case let attribute as NSAttributeDescription:
      return variable(attribute.name, PropertyType.of(attribute), key)
    case let relationship as NSRelationshipDescription:
      let type = PropertyType.of(relationship)
      return variable(relationship.name, type, key)
        + (relationship.isToMany ? methods(relationship, key) : "")
    case let fetched as NSFetchedPropertyDescription:
      return """
          public var \(TypeSpelling.escaped(fetched.name)): [NSManagedObject] {
            requiredManagedValue(\(key))
          }

        """
    default: return ""
    }
  }

  private func variable(_ name: String, _ type: String, _ key: String) -> String {
    """
      public var \(TypeSpelling.escaped(name)): \(type) {
        get { managedValue(\(key)) }
        set { setManagedValue(newValue, \(key)) }
      }

    """
  }

  private func methods(_ relationship: NSRelationshipDescription, _ key: String) -> String {
    let name = relationship.name.prefix(1).uppercased() + relationship.name.dropFirst()
    let object = PropertyType.destination(of: relationship)
    let set = relationship.isOrdered ? "NSOrderedSet" : "NSSet"
    func method(_ beginning: String) -> String { TypeSpelling.escaped(beginning + name) }
    let collections: [(String, String)] = [
      ("\(method("addTo"))(_ value: \(object))", "addManagedMembers(value, \(key))"),
      ("\(method("removeFrom"))(_ value: \(object))", "removeManagedMembers(value, \(key))"),
      ("\(method("addTo"))(_ values: \(set))", "addManagedMembers(values, \(key))"),
      ("\(method("removeFrom"))(_ values: \(set))", "removeManagedMembers(values, \(key))"),
    ]
    let ordered: [(String, String)] = [
      (
        "\(method("insertInto"))(_ value: \(object), at idx: Int)",
        "insertManagedMembers(value, at: [idx], \(key))"
      ),
      ("\(method("removeFrom"))(at idx: Int)", "removeManagedMembers(at: [idx], \(key))"),
      (
        "\(method("insertInto"))(_ values: [\(object)], at indexes: NSIndexSet)",
        "insertManagedMembers(values, at: indexes, \(key))"
      ),
      (
        "\(method("removeFrom"))(at indexes: NSIndexSet)",
        "removeManagedMembers(at: indexes, \(key))"
      ),
      (
        "\(method("replace"))(at idx: Int, with value: \(object))",
        "replaceManagedMembers(at: [idx], with: value, \(key))"
      ),
      (
        "\(method("replace"))(at indexes: NSIndexSet, with values: [\(object)])",
        "replaceManagedMembers(at: indexes, with: values, \(key))"
      ),
    ]
    return (collections + (relationship.isOrdered ? ordered : [])).map { head, body in
      "  public func \(head) {\n    \(body)\n  }\n"
    }.joined()
  }
}
