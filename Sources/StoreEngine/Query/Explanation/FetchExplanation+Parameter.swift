extension FetchExplanation {
  /// The value of a parameter, in the type that the database receives.
  ///
  /// Booleans are 0 or 1, dates are seconds since 2001-01-01 00:00 UTC, objects are the primary keys of their rows,
  /// UUIDs are 16 bytes, and long lists of constants are one JSON string.
  public enum Parameter: Sendable, Equatable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob(Data)

    /// SQLite's name for the type: `null`, `integer`, `real`, `text` or `blob`.
    public var typeName: String {
      switch self {
      case .null: "null"
      case .integer: "integer"
      case .real: "real"
      case .text: "text"
      case .blob: "blob"
      }
    }

    /// The value as SQL, for trying the statement by hand: `42`, `'It''s'`, `x'0aff'`.
    public var literal: String {
      switch self {
      case .null: "NULL"
      case .integer(let value): String(value)
      case .real(let value):
        // SQL has no literal for infinity, but these numbers overflow to it.
        value.isInfinite ? (value < 0 ? "-9e999" : "9e999") : value.isNaN ? "NULL" : "\(value)"
      case .text(let text): "'" + text.replacing(scalar: "'", with: "''") + "'"
      case .blob(let data): "x'" + data.map { Self.hexadecimal($0) }.joined() + "'"
      }
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
      (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
  }
}

extension FetchExplanation.Parameter {
  /// Creates the parameter for a value.
  package init(_ value: StoredValue) {
    switch value {
    case .null, .object: self = .null
    case .integer(let value): self = .integer(value)
    case .double(let value): self = .real(value)
    case .text(let value): self = .text(value)
    case .data(let value): self = .blob(value)
    case .uuid(let value): self = .blob(value.bytes)
    case .uri(let value): self = .text(value.absoluteString)
    case .reference(let id): self = .integer(id.key)
    case .decimal(let value):
      let text = value.stringValue
      self = Int64(text).map(Self.integer) ?? .real(Double(text) ?? value.doubleValue)
    }
  }
}
