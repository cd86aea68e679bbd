/// The order of the members of sets and of the keys of dictionaries in archives.
///
/// The collections' own order differs in each process, but equal collections must have equal archives.
enum ArchiveOrder {
  /// Sorts elements by values of any types.
  static func sorted<Element>(_ elements: [Element], by value: (Element) -> Any) -> [Element] {
    elements.map { (element: $0, key: key(value($0))) }
      .sorted { $0.key.isBefore($1.key) }
      .map(\.element)
  }

  /// Returns the text by which a value is sorted. The type in it distinguishes the number 1 from the string "1".
  private static func key(_ value: Any) -> String {
    // The description of data is only its size.
    let text = (value as? Data)?.base64EncodedString() ?? MessageText.description(of: value)
    return "\(text) \(type(of: value))"
  }
}
