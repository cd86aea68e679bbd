extension Array {
  /// The element at a place, nil beyond the end.
  package subscript(safe index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}
