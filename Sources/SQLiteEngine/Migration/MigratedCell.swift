import StoreEngine

/// What a column of a migrated row gets.
enum MigratedCell: Equatable {
  /// What an old column has.
  case column(String)
  /// What an old column has, and a default where it has nothing.
  case columnOr(String, String)
  /// The same value for all rows.
  case constant(String)
  /// Another form of what an old column has.
  case converted(String)

  /// The cell of an attribute; nil where the rows get nothing.
  ///
  /// - Parameter source: the attribute that it was, and its column.
  init?(_ slot: PropertySlot, from source: (slot: PropertySlot, column: String)?) {
    var value = slot.keptDefault
    if case .data(let data) = value, slot.mayBeExternal {
      value = .data(ExternalStorage.marked(data))
    }
    let fallback = value == .null ? nil : SQLText.literal(value)
    guard let source, !slot.needsRecomputing(from: source.slot) else {
      guard let fallback, !(slot.property is NSDerivedAttributeDescription) else { return nil }
      self = .constant(fallback)
      return
    }
    let column = SQLText.name(source.column)
    if let form = Self.conversion(of: column, source.slot.storage, slot.storage) {
      self = .converted(slot.isOptional ? form : fallback.map { "IFNULL(\(form), \($0))" } ?? form)
    } else if !slot.isOptional, let fallback {
      self = .columnOr(source.column, fallback)
    } else {
      self = .column(source.column)
    }
  }

  /// The old column, where its values stay what they are, but for nothing.
  var keptColumn: String? {
    switch self {
    case .column(let name), .columnOr(let name, _): name
    case .constant, .converted: nil
    }
  }

  var isExpression: Bool { if case .converted = self { true } else { false } }

  /// Whether rows of an altered table have to be written.
  var changesValues: Bool { if case .column = self { false } else { true } }

  /// The value in a statement that reads rows of the old table.
  var copied: String {
    switch self {
    case .column(let name): SQLText.name(name)
    case .columnOr(let name, let fallback): "IFNULL(\(SQLText.name(name)), \(fallback))"
    case .constant(let text), .converted(let text): text
    }
  }

  /// The value in a statement about rows of the altered table, where the column has its new name.
  func altered(_ name: String) -> String {
    if case .columnOr(_, let fallback) = self {
      "IFNULL(\(SQLText.name(name)), \(fallback))"
    } else {
      copied
    }
  }

  /// Numbers in the form of another type; nil where they have it already.
  ///
  /// What the new type does not hold is cut as a conversion of `NSNumber` cuts it.
  private static func conversion(
    of column: String, _ old: AttributeStorage?, _ new: AttributeStorage?
  ) -> String? {
    guard let old, let new, old != new else { return nil }
    func bits(_ storage: AttributeStorage) -> Int? {
      switch storage {
      case .integer16: 16
      case .integer32: 32
      case .integer64: 64
      default: nil
      }
    }
    if new == .boolean { return "\(column) + 0 <> 0" }
    if old == .boolean, bits(new) != nil { return nil }
    guard let width = bits(new) else {
      // Columns of the other types of numbers turn what is written into their form.
      let isWhole = bits(old) != nil || old == .boolean
      return isWhole || new == .decimal || old == .decimal ? "\(column) + 0" : nil
    }
    if let given = bits(old), given <= width { return nil }
    let whole = bits(old) == nil ? "CAST(\(column) AS INTEGER)" : column
    guard width < 64 else { return whole }
    let half = Int64(1) << (width - 1)
    // The lower bits, the last of which is the sign: sums of large numbers would become inexact.
    return "(\(whole) & \(half - 1)) - (\(whole) & \(half))"
  }
}

extension PropertySlot {
  /// Whether a derived attribute's values have to be computed again, because its rule is not the old model's.
  func needsRecomputing(from old: PropertySlot) -> Bool {
    guard let derived = property as? NSDerivedAttributeDescription else { return false }
    guard let before = old.property as? NSDerivedAttributeDescription else { return true }
    return before.derivationText != derived.derivationText
      || before.filterText != derived.filterText
      || old.storage != storage
  }
}
