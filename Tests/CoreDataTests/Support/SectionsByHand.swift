import CoreData

/// Splits rows into sections in a simple way, so that tests can compare the sections of live results with them.
enum SectionsByHand {
  /// Returns sections of sorted rows. A new section begins where the value of the key path changes.
  ///
  /// - Parameter keyPath: The key path, or nil for one section without a name.
  static func of(
    _ rows: [NSManagedObject], _ keyPath: String?
  ) -> [(name: String, rows: [NSManagedObject])] {
    guard let keyPath else { return [("", rows)] }
    var sections: [(name: String, rows: [NSManagedObject])] = []
    for row in rows {
      var value: Any? = row
      for key in keyPath.split(separator: ".") {
        value = (value as? NSManagedObject)?.value(forKey: String(key))
      }
      let object = value as? NSManagedObject
      let name =
        object?.objectID.uriRepresentation().absoluteString ?? value.map { "\($0)" } ?? ""
      if sections.last?.name == name {
        sections[sections.count - 1].rows.append(row)
      } else {
        sections.append((name, [row]))
      }
    }
    return sections
  }
}
