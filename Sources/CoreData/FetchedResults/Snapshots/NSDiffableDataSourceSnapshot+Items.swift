import OrderedCollections

extension NSDiffableDataSourceSnapshot {
  /// Adds items at the end of a section, of the last one unless another is named. Those that are there
  /// already are moved.
  ///
  /// Without a section, with one that is not there, or with an item twice the program is stopped.
  public mutating func appendItems(
    _ identifiers: [ItemIdentifierType], toSection sectionIdentifier: SectionIdentifierType? = nil
  ) {
    guard let section = sectionIdentifier ?? contents.keys.last else {
      stopProgram("there is no section yet to which items could be added")
    }
    _ = items(of: section)
    Self.requireDifferent(identifiers, "item")
    remove(identifiers)
    contents[section]?.append(contentsOf: identifiers)
    for identifier in identifiers { sectionsOfItems[identifier] = section }
  }

  /// Puts items before another one. Those that are there already are moved.
  ///
  /// An item that is not there, one of those that are put, or an item twice stops the program.
  public mutating func insertItems(
    _ identifiers: [ItemIdentifierType], beforeItem beforeIdentifier: ItemIdentifierType
  ) {
    insert(identifiers, at: beforeIdentifier, offset: 0)
  }

  /// Puts items behind another one. Those that are there already are moved.
  ///
  /// An item that is not there, one of those that are put, or an item twice stops the program.
  public mutating func insertItems(
    _ identifiers: [ItemIdentifierType], afterItem afterIdentifier: ItemIdentifierType
  ) {
    insert(identifiers, at: afterIdentifier, offset: 1)
  }

  /// Moves an item before another one. Items that are not there, or twice the same, stop the program.
  public mutating func moveItem(
    _ identifier: ItemIdentifierType, beforeItem toIdentifier: ItemIdentifierType
  ) {
    _ = requiredPlace(of: identifier)
    insert([identifier], at: toIdentifier, offset: 0)
  }

  /// Moves an item behind another one. Items that are not there, or twice the same, stop the program.
  public mutating func moveItem(
    _ identifier: ItemIdentifierType, afterItem toIdentifier: ItemIdentifierType
  ) {
    _ = requiredPlace(of: identifier)
    insert([identifier], at: toIdentifier, offset: 1)
  }

  /// Removes items; those that are not there do not matter.
  public mutating func deleteItems(_ identifiers: [ItemIdentifierType]) {
    remove(identifiers)
    for identifier in identifiers { unmark(identifier) }
  }

  /// Removes all items and sections.
  public mutating func deleteAllItems() { self = Self() }

  private mutating func insert(
    _ identifiers: [ItemIdentifierType], at anchor: ItemIdentifierType, offset: Int
  ) {
    Self.requireDifferent(identifiers + [anchor], "item")
    _ = requiredPlace(of: anchor)
    remove(identifiers)
    let place = requiredPlace(of: anchor)
    var items = Array(contents.values[place.section])
    items.insert(contentsOf: identifiers, at: place.row + offset)
    contents.values[place.section] = OrderedSet(items)
    let section = contents.keys[place.section]
    for identifier in identifiers { sectionsOfItems[identifier] = section }
  }

  /// Removes items from their sections; those that are marked stay so.
  private mutating func remove(_ identifiers: [ItemIdentifierType]) {
    var going: [SectionIdentifierType: Set<ItemIdentifierType>] = [:]
    for identifier in identifiers {
      if let section = sectionsOfItems.removeValue(forKey: identifier) {
        going[section, default: []].insert(identifier)
      }
    }
    for (section, items) in going { contents[section]?.subtract(items) }
  }

  mutating func unmark(_ item: ItemIdentifierType) {
    reloadedItems.remove(item)
    reconfiguredItems.remove(item)
  }
}
