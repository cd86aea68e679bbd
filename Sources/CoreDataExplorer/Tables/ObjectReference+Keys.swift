import StoreInspection

/// References in pages and addresses: `p12`, and `t3` for an unsaved row.
extension ObjectReference {
  static func text(ofKey key: Int64) -> String { key < 0 ? "t" + String(-key) : "p" + String(key) }

  /// Returns the key of a reference; nil if the text is not a reference.
  static func key(_ text: String) -> Int64? {
    guard let number = key(ofDigits: text.dropFirst()) else { return nil }
    return text.hasPrefix("p") ? number : text.hasPrefix("t") ? -number : nil
  }
}
