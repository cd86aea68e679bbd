/// A derived attribute whose value depends only on its own row: a normalized string, or the time of the save.
/// The value is written with the row. Values that depend on other rows are `StoreDerivation`s or
/// `ExpressionDerivation`s.
package struct RowDerivation {
  package let slot: Int
  package let source: Source

  package enum Source: Equatable {
    /// `now()`.
    case time
    /// `canonical:`, `uppercase:` or `lowercase:` of a text attribute.
    case text(slot: Int, TextForm)
  }

  package enum TextForm: String {
    case canonical = "canonical:"
    case uppercase = "uppercase:"
    case lowercase = "lowercase:"
  }

  /// Creates the derivation of an attribute; nil for an attribute of another kind.
  package init?(_ slot: PropertySlot, in layout: EntityLayout) {
    guard let derived = slot.property as? NSDerivedAttributeDescription,
      derived.filterText == nil, let text = derived.derivationText,
      case .function(let name, let arguments) = DerivationExpression(text: text)
    else { return nil }
    self.slot = slot.index
    // One of SwiftGen's models declares an attribute with `now()` as a number. A column stores a date as a number too.
    if name == "now", slot.storage == .date || slot.storage == .double {
      source = .time
    } else if let form = TextForm(rawValue: name), arguments.count == 1, slot.storage == .string,
      let given = layout.slot(named: arguments[0]), given.storage == .string, !given.isTransient,
      // Another derived attribute may not be computed yet when the row is written.
      !(given.property is NSDerivedAttributeDescription)
    {
      source = .text(slot: given.index, form)
    } else {
      return nil
    }
  }

  /// Returns the value to write with a row.
  ///
  /// - Parameters:
  ///   - isWritten: Returns whether the save writes the value of a slot.
  ///   - value: Returns the object's value of a slot.
  /// - Returns: Nil if the value does not change.
  package func value(
    written isWritten: (Int) -> Bool, _ value: (Int) throws -> StoredValue
  ) rethrows -> StoredValue? {
    switch source {
    case .time: return .double(Date().timeIntervalSinceReferenceDate)
    case .text(let slot, let form):
      guard isWritten(slot) else { return nil }
      guard case .text(let text) = try value(slot) else { return .null }
      return .text(form.of(text))
    }
  }
}

extension RowDerivation.TextForm {
  package func of(_ text: String) -> String {
    switch self {
    case .canonical: text.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil)
    case .uppercase: text.uppercased()
    case .lowercase: text.lowercased()
    }
  }
}
