import OrderedCollections

extension NSDiffableDataSourceSnapshot {
  /// Appends sections. Sections that are already in the snapshot are moved with their items.
  ///
  /// Stops the program if an identifier occurs twice.
  public mutating func appendSections(_ identifiers: [SectionIdentifierType]) {
    place(identifiers, at: nil, offset: 0)
  }

  /// Inserts sections before another section. Sections that are already in the snapshot are moved with their items.
  ///
  /// Stops the program if the other section is not in the snapshot, or if an identifier occurs twice.
  ///
  /// ```swift
  /// var snapshot = NSDiffableDataSourceSnapshot<String, Int>()
  /// snapshot.appendSections(["A", "C"])
  /// snapshot.insertSections(["B"], beforeSection: "C")
  /// print(snapshot.sectionIdentifiers)  // ["A", "B", "C"]
  /// ```
  public mutating func insertSections(
    _ identifiers: [SectionIdentifierType], beforeSection toIdentifier: SectionIdentifierType
  ) {
    place(identifiers, at: toIdentifier, offset: 0)
  }

  /// Inserts sections after another section. Sections that are already in the snapshot are moved with their items.
  ///
  /// Stops the program if the other section is not in the snapshot, or if an identifier occurs twice.
  public mutating func insertSections(
    _ identifiers: [SectionIdentifierType], afterSection toIdentifier: SectionIdentifierType
  ) {
    place(identifiers, at: toIdentifier, offset: 1)
  }

  /// Moves a section before another section. Stops the program if one of them is missing or if they are the same.
  public mutating func moveSection(
    _ identifier: SectionIdentifierType, beforeSection toIdentifier: SectionIdentifierType
  ) {
    _ = items(of: identifier)
    place([identifier], at: toIdentifier, offset: 0)
  }

  /// Moves a section after another section. Stops the program if one of them is missing or if they are the same.
  ///
  /// ```swift
  /// var snapshot = NSDiffableDataSourceSnapshot<String, Int>()
  /// snapshot.appendSections(["A", "B", "C"])
  /// snapshot.moveSection("A", afterSection: "B")
  /// print(snapshot.sectionIdentifiers)  // ["B", "A", "C"]
  /// ```
  public mutating func moveSection(
    _ identifier: SectionIdentifierType, afterSection toIdentifier: SectionIdentifierType
  ) {
    _ = items(of: identifier)
    place([identifier], at: toIdentifier, offset: 1)
  }

  /// Deletes sections and their items. Sections that are not in the snapshot are ignored.
  ///
  /// ```swift
  /// var snapshot = NSDiffableDataSourceSnapshot<String, Int>()
  /// snapshot.appendSections(["A", "B"])
  /// snapshot.appendItems([1, 2], toSection: "A")
  /// snapshot.deleteSections(["A"])
  /// print(snapshot.numberOfItems)  // 0
  /// ```
  public mutating func deleteSections(_ identifiers: [SectionIdentifierType]) {
    let going = Set(identifiers)
    for section in going {
      for item in contents[section] ?? [] {
        sectionsOfItems[item] = nil
        unmark(item)
      }
      reloadedSections.remove(section)
    }
    contents.removeAll { going.contains($0.key) }
  }

  /// Inserts or moves sections. New sections have no items.
  ///
  /// - Parameter anchor: The section to insert at; nil for the end.
  private mutating func place(
    _ identifiers: [SectionIdentifierType], at anchor: SectionIdentifierType?, offset: Int
  ) {
    Self.requireDifferent(identifiers + (anchor.map { [$0] } ?? []), "section")
    if let anchor { _ = items(of: anchor) }
    let placed = identifiers.map { ($0, contents.removeValue(forKey: $0) ?? []) }
    // Looked up after the removals, because they may have shifted the other section.
    let index = anchor.flatMap { contents.index(forKey: $0) }.map { $0 + offset } ?? contents.count
    for (place, section) in placed.enumerated() {
      contents.updateValue(section.1, forKey: section.0, insertingAt: index + place)
    }
  }
}
