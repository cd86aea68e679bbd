/// What a condition that can be used probably does not mean, with what to write in its place.
package struct ConditionHint: Encodable, Equatable, Sendable {
  package let message: String
  /// How many characters stand before the part that it is about; nil where the part was not found.
  package var position: Int?
  /// How many characters the part has.
  package var length: Int?
  /// What to write in place of the part.
  package var replacement: String?
}
