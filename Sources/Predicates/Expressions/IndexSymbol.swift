/// The words that stand for an index: `tags[FIRST]`, `tags[LAST]`, `tags[SIZE]`.
///
/// Such an index is a constant expression whose value is one of these.
package enum IndexSymbol: String, Hashable, Sendable, CustomStringConvertible {
  case first = "FIRST"
  case last = "LAST"
  case size = "SIZE"

  package var description: String { rawValue }
}
