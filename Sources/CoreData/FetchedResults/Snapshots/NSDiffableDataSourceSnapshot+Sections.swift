import OrderedCollections

extension NSDiffableDataSourceSnapshot {
  /// Adds sections at the end. Those that are there already are moved, with their items.
  ///
  /// A section twice stops the program.
  public mutating func appendSections(_ identifiers: [SectionIdentifierType]) {
    place(identifiers, at: nil, offset: 0)
  }

  /// Puts sections before another one. Those that are there already are moved, with their items.
  ///
  /// A section that is not there, one of those that are put, or a section twice stops the program.
  public mutating func insertSections(
    _ identifiers: [SectionIdentifierType], beforeSection toIdentifier: SectionIdentifierType
  ) {
    place(identifiers, at: toIdentifier, offset: 0)
  }

  /// Puts sections behind another one. Those that are there already are moved, with their items.
  ///
  /// A section that is not there, one of those that are put, or a section twice stops the program.
  public mutating func insertSections(
    _ identifiers: [SectionIdentifierType], afterSection toIdentifier: SectionIdentifierType
  ) {
    place(identifiers, at: toIdentifier, offset: 1)
  }

  /// Moves a section before another one. Sections that are not there, or twice the same, stop the
  /// program.
  public mutating func moveSection(
    _ identifier: SectionIdentifierType, beforeSection toIdentifier: SectionIdentifierType
  ) {
    _ = items(of: identifier)
    place([identifier], at: toIdentifier, offset: 0)
  }

  /// Moves a section behind another one. Sections that are not there, or twice the same, stop the program.
  public mutating func moveSection(
    _ identifier: SectionIdentifierType, afterSection toIdentifier: SectionIdentifierType
  ) {
    _ = items(of: identifier)
    place([identifier], at: toIdentifier, offset: 1)
  }

  /// Removes sections and their items; those that are not there do not matter.
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

  /// Puts sections, new ones without items, at a place.
  ///
  /// - Parameter anchor: nil for the end.
  private mutating func place(
    _ identifiers: [SectionIdentifierType], at anchor: SectionIdentifierType?, offset: Int
  ) {
    Self.requireDifferent(identifiers + (anchor.map { [$0] } ?? []), "section")
    if let anchor { _ = items(of: anchor) }
    let placed = identifiers.map { ($0, contents.removeValue(forKey: $0) ?? []) }
    let index = anchor.flatMap { contents.index(forKey: $0) }.map { $0 + offset } ?? contents.count
    for (place, section) in placed.enumerated() {
      contents.updateValue(section.1, forKey: section.0, insertingAt: index + place)
    }
  }
}
