import StoreEngine

/// The value of a column in migrated rows.
enum MigratedCell: Equatable {
  /// The value of an old column.
  case column(String)
  /// The value of an old column, or a default if it is NULL.
  case columnOr(String, String)
  /// The same value for all rows.
  case constant(String)
  /// A converted value of an old column.
  case converted(String)

  /// Creates the value of an attribute; nil if the rows get none.
  ///
  /// - Parameter source: The old attribute, and its column if it has one.
  init?(_ slot: PropertySlot, from source: (slot: PropertySlot, column: String?)?) {
    var value = slot.keptDefault
    // A default gets the form of the old attribute's values, because `MigratedValues` then changes the form of all
    // values in the column.
    if case .data(let data) = value, (source?.slot ?? slot).mayBeExternal {
      value = .data(ExternalStorage.marked(data))
    }
    let fallback = value == .null ? nil : SQLText.literal(value)
    guard let source, let name = source.column, !slot.needsRecomputing(from: source.slot) else {
      // `MigratedValues` computes derived attributes.
      guard let fallback, !(slot.property is NSDerivedAttributeDescription) else { return nil }
      self = .constant(fallback)
      return
    }
    let column = SQLText.name(name)
    if let form = Self.conversion(of: column, source.slot.storage, slot.storage) {
      self = .converted(slot.isOptional ? form : fallback.map { "IFNULL(\(form), \($0))" } ?? form)
    } else if !slot.isOptional, let fallback {
      self = .columnOr(name, fallback)
    } else {
      self = .column(name)
    }
  }

  /// The old column, if its values are unchanged except for NULL.
  var keptColumn: String? {
    switch self {
    case .column(let name), .columnOr(let name, _): name
    case .constant, .converted: nil
    }
  }

  var isExpression: Bool { if case .converted = self { true } else { false } }

  /// Whether rows of an altered table must be updated.
  var changesValues: Bool { if case .column = self { false } else { true } }

  /// The value in a statement that reads rows of the old table.
  var copied: String {
    switch self {
    case .column(let name): SQLText.name(name)
    case .columnOr(let name, let fallback): "IFNULL(\(SQLText.name(name)), \(fallback))"
    case .constant(let text), .converted(let text): text
    }
  }

  /// Returns the value in a statement for the altered table, in which the column has its new name.
  func altered(_ name: String) -> String {
    if case .columnOr(_, let fallback) = self {
      "IFNULL(\(SQLText.name(name)), \(fallback))"
    } else {
      copied
    }
  }

  /// Returns an expression that converts numbers to another type; nil if no conversion is needed.
  ///
  /// Numbers out of range are truncated as `NSNumber` does.
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
    // 0 and 1 fit into any integer.
    if old == .boolean, bits(new) != nil { return nil }
    guard let width = bits(new) else {
      // The affinity of other numeric columns converts the values that are written.
      let isWhole = bits(old) != nil || old == .boolean
      return isWhole || new == .decimal || old == .decimal ? "\(column) + 0" : nil
    }
    if let given = bits(old), given <= width { return nil }
    let whole = bits(old) == nil ? "CAST(\(column) AS INTEGER)" : column
    guard width < 64 else { return whole }
    let half = Int64(1) << (width - 1)
    // Keeps the lower bits; the highest of these bits is the sign. Arithmetic on the whole number could overflow,
    // and SQLite would then calculate with an inexact floating-point number.
    return "(\(whole) & \(half - 1)) - (\(whole) & \(half))"
  }
}

extension PropertySlot {
  /// Returns whether a derived attribute's values have to be computed again, because its rule differs from the old one.
  func needsRecomputing(from old: PropertySlot) -> Bool {
    guard let derived = property as? NSDerivedAttributeDescription else { return false }
    guard let before = old.property as? NSDerivedAttributeDescription else { return true }
    return before.derivationText != derived.derivationText
      || before.filterText != derived.filterText
      || old.storage != storage
  }
}
