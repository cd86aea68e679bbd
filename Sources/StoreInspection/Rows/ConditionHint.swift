/// A hint that a part of a valid condition probably does not mean what the user intends, with a replacement.
package struct ConditionHint: Encodable, Equatable, Sendable {
  package let message: String
  /// How many characters precede the part; nil if the part was not found in the text.
  package var position: Int?
  /// The length of the part in characters.
  package var length: Int?
  /// The replacement for the part.
  package var replacement: String?
}
