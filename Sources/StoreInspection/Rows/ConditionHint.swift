/// A hint about a part of a valid condition that probably means something else, with a replacement.
package struct ConditionHint: Encodable, Equatable, Sendable {
  package let message: String
  /// How many characters precede the part; nil if the part was not found in the text.
  package var position: Int?
  /// The length of the part in characters.
  package var length: Int?
  /// The replacement for the part.
  package var replacement: String?
}
