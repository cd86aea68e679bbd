/// A word used as an index: `tags[FIRST]`, `tags[LAST]`, `tags[SIZE]`.
///
/// The index expression is a constant with one of these as its value.
package enum IndexSymbol: String, Hashable, Sendable, CustomStringConvertible {
  case first = "FIRST"
  case last = "LAST"
  case size = "SIZE"

  package var description: String { rawValue }
}
