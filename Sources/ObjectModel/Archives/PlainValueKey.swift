/// A dictionary key that equals another one only if the two plain values have the same bytes in a file.
///
/// Swift considers the composed and decomposed forms of é equal, as well as 0.0 and -0.0. In a file they must remain
/// distinct.
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
