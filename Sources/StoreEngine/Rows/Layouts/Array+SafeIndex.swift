extension Array {
  /// The element at an index; nil if the index is out of range.
  package subscript(safe index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}
