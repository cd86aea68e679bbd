/// A plain value as a key by which the same value is found again: the same bytes.
///
/// Swift takes é in its composed and decomposed form for equal, and 0.0 and -0.0 too; a file must not.
enum PlainValueKey: Hashable {
  case text([UInt8])
  case real(UInt64)
  case other(PropertyListValue)

  init(_ value: PropertyListValue) {
    switch value {
    case .string(let text): self = .text(Array(text.utf8))
    case .real(let number): self = .real(number.bitPattern)
    default: self = .other(value)
    }
  }
}
