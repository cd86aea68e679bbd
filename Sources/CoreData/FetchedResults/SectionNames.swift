/// A section's name by its characters' numbers, as rows are sorted: letters that Unicode writes in two ways
/// make two names, though Swift's strings of them are equal.
struct ExactName: Hashable {
  let text: String

  init(_ text: String) { self.text = text }

  static func == (left: ExactName, right: ExactName) -> Bool {
    left.text.utf8.elementsEqual(right.text.utf8)
  }

  func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}

/// The names of a live result's sections, as numbers.
struct SectionNames {
  private var numbers: [ExactName: Int] = [:]
  private var names: [String] = []
  /// Those of letters that can be written in several ways.
  private var wideNames: Set<String> = []
  /// Whether names were there that are equal as strings and are two.
  private(set) var haveEquals = false

  mutating func number(of name: String) -> Int {
    let key = ExactName(name)
    if let known = numbers[key] { return known }
    if name.utf8.contains(where: { $0 > 127 }), !wideNames.insert(name).inserted {
      haveEquals = true
    }
    numbers[key] = names.count
    names.append(name)
    return names.count - 1
  }

  func name(_ number: Int) -> String { names[number] }

  /// A section's name from the value of the section key: text as it is, nothing as "".
  static func name(of value: Any?) -> String {
    switch value {
    case nil, is NSNull: ""
    case let text as String: text
    case let number as NSNumber: number.stringValue
    case let uuid as UUID: uuid.uuidString
    case let url as URL: url.absoluteString
    case let object as NSManagedObject: object.objectID.uriRepresentation().absoluteString
    case let value?: MessageText.description(of: value)
    }
  }
}

/// Where the section names of a live result come from.
enum SectionSource {
  /// There is one section without a name.
  case none
  /// A stored value of the row.
  case stored(BoundPath)
  /// Whatever the object answers for a key path: a transient property, an accessor.
  case computed(String)

  init(keyPath: String?, binder: PredicateBinder) throws {
    guard let keyPath, !keyPath.isEmpty else {
      self = .none
      return
    }
    let keys = keyPath.split(separator: ".")
    if case .single(.property(let path))? = try? binder.resolve(keys: keys, level: 0) {
      self = .stored(path)
      return
    }
    // Not stored: each key must at least be one of the entity's, or may be one of a class that has
    // keys of its own.
    var layout = binder.root
    for (level, key) in keys.enumerated() {
      guard let slot = layout.slot(named: String(key)) else {
        if StateKey(rawValue: String(key)) != nil { break }
        if layout.family.contains(where: {
          OverriddenMethods.overridesKeyAccess($0.managedObjectClass)
        }) {
          break
        }
        throw CoreDataError.unknownKey(String(key), in: layout)
      }
      if case .toMany = slot.kind {
        throw CoreDataError.badRequest("to-many key not allowed here: sections by \(keyPath)")
      }
      if level == keys.count - 1 { break }
      guard slot.kind == .toOne, let relationship = slot.relationship else {
        throw CoreDataError.badRequest(
          "\(key) of \(layout.name) is no relationship: sections by \(keyPath)")
      }
      layout = relationship.destination
    }
    self = .computed(keyPath)
  }

  /// What is read of a row to name its section.
  var values: [BoundExpression] {
    if case .stored(let path) = self { [.property(path)] } else { [] }
  }

  /// The relationships that lead from a row to what names its section.
  func dependencies(_ layout: EntityLayout) -> [RelationshipDependency] {
    switch self {
    case .none: return []
    case .stored(let path):
      var query = RowQuery(layout: layout)
      query.sorts = [BoundSort(key: .property(path), ascending: true, comparison: .literal)]
      return query.dependencies
    case .computed(let keyPath):
      var found: [RelationshipDependency] = []
      var steps: [(layout: EntityLayout, slot: Int)] = []
      var layout = layout
      for key in keyPath.split(separator: ".") {
        guard let slot = layout.slot(named: String(key)), slot.kind == .toOne,
          let relationship = slot.relationship
        else { break }
        steps.append((layout, slot.index))
        layout = relationship.destination
        found.append(RelationshipDependency(steps: steps, end: layout))
      }
      return found
    }
  }

  func name(of object: NSManagedObject) throws -> String {
    switch self {
    case .none: return ""
    case .stored(let path):
      let value = try path.value(of: object)
      return Self.name(of: value, path)
    case .computed(let keyPath):
      var value: Any? = object
      for key in keyPath.split(separator: ".") {
        value = (value as? NSManagedObject)?.value(forKey: String(key))
      }
      return SectionNames.name(of: value)
    }
  }

  static func name(of value: StoredValue, _ path: BoundPath) -> String {
    // Rows take the zero below zero for zero, and what is no number for nothing.
    var value = value
    if case .double(let number) = value {
      if number == 0 { value = .double(0) } else if number.isNaN { value = .null }
    }
    if let slot = path.attribute {
      return SectionNames.name(of: AttributeCodec.external(value, slot))
    }
    if case .reference(let id) = value { return id.uriRepresentation().absoluteString }
    return ""
  }
}
