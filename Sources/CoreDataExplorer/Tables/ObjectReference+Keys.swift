import StoreInspection

/// The references of pages and addresses: `p12`, and `t3` for a row that is not saved yet.
extension ObjectReference {
  static func text(ofKey key: Int64) -> String { key < 0 ? "t" + String(-key) : "p" + String(key) }

  /// The key of a reference; nil where the text is none.
  static func key(_ text: String) -> Int64? {
    guard let number = Int64(text.dropFirst()), number > 0 else { return nil }
    return text.hasPrefix("p") ? number : text.hasPrefix("t") ? -number : nil
  }
}
