/// A section name. Names are compared by code units, because the rows are sorted that way. So names that differ only in
/// their Unicode normalization are different, although Swift compares them as equal strings.
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

/// Numbers the section names of live results.
struct SectionNames {
  private var numbers: [ExactName: Int] = [:]
  private var names: [String] = []
  /// The names with non-ASCII characters, which may have several Unicode normalizations.
  private var wideNames: Set<String> = []
  /// Whether two of the names are equal as strings but have different code units.
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

  /// Returns the section name for a value of the section key: a string as it is, "" for nil, the URI of an object's ID
  /// for an object, and a text form of any other value.
  static func name(of value: Any?) -> String {
    switch value {
    case nil, is NSNull: ""
    case let text as String: text
    case let number as NSNumber: number.stringValue
    case let uuid as UUID: uuid.uuidString
    case let url as URL: url.absoluteString
    case let object as NSManagedObject: object.ownID.uriRepresentation().absoluteString
    case let value?: MessageText.description(of: value)
    }
  }
}

/// The source of the section names.
enum SectionSource {
  /// A single section without a name.
  case none
  /// A stored value of the row.
  case stored(BoundPath)
  /// The value that the object returns for a key path, such as a transient property or a custom getter.
  case computed(String)

  init(keyPath: String?, binder: PredicateBinder) throws {
    guard let keyPath, !keyPath.isEmpty else {
      self = .none
      return
    }
    let keys = keyPath.split(separator: ".")
    // The binder's error would say only that the key path is not stored. The checks below throw an error with the
    // reason.
    if case .single(.property(let path))? = try? binder.resolve(keys: keys, level: 0) {
      self = .stored(path)
      return
    }
    // The key path is not stored. Each key must be a property, unless a class of the entity overrides key-value access.
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
        throw CoreDataError.badRequest(
          "to-many key not allowed here: sectionNameKeyPath \(keyPath)")
      }
      if level == keys.count - 1 { break }
      guard slot.kind == .toOne, let relationship = slot.relationship else {
        throw CoreDataError.badRequest(
          "\(layout.name).\(key) is not a relationship: sectionNameKeyPath \(keyPath)")
      }
      layout = relationship.destination
    }
    self = .computed(keyPath)
  }

  /// The values from which the name of a row's section is made.
  var values: [BoundExpression] {
    if case .stored(let path) = self { [.property(path)] } else { [] }
  }

  /// Returns the relationships from a row to the objects whose values name its section.
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
        // A change to any object on the path can change the name, not just a change to the last one.
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
      return SectionNames.name(of: try KeyPathEvaluator.value(of: object, forKeyPath: keyPath))
    }
  }

  static func name(of value: StoredValue, _ path: BoundPath) -> String {
    // Rows are sorted with -0 equal to 0, and with NaN as NULL.
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
