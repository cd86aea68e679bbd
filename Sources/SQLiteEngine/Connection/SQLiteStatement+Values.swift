import StoreEngine

extension SQLiteStatement {
  /// Binds a stored value.
  func bind(_ value: StoredValue, at index: Int) {
    switch value {
    case .null: bindNull(at: index)
    case .integer(let value): bind(value, at: index)
    case .double(let value): bind(value, at: index)
    case .text(let value): bind(value, at: index)
    case .data(let value): bind(value, at: index)
    case .uuid(let value): bind(value.bytes, at: index)
    case .uri(let value): bind(value.absoluteString, at: index)
    case .reference(let id): bind(id.key, at: index)
    case .decimal(let value): bind(value, at: index)
    case .object: bindNull(at: index)
    }
  }

  /// Binds a decimal in the form of its column: an integer if possible, or else a double.
  private func bind(_ value: NSDecimalNumber, at index: Int) {
    let text = value.stringValue
    if let integer = Int64(text) {
      bind(integer, at: index)
    } else {
      bind(Double(text) ?? value.doubleValue, at: index)
    }
  }

  /// Binds all parameters of a statement.
  func bind(_ parameters: [StoredValue]) {
    for (index, value) in parameters.enumerated() { bind(value, at: index + 1) }
  }
}
