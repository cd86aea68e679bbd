import OrderedCollections

extension NSDiffableDataSourceSnapshot {
  /// Appends items to a section, by default the last one. Items that are already in the snapshot are moved.
  ///
  /// Stops the program if there is no such section, or if an identifier occurs twice.
  public mutating func appendItems(
    _ identifiers: [ItemIdentifierType], toSection sectionIdentifier: SectionIdentifierType? = nil
  ) {
    guard let section = sectionIdentifier ?? contents.keys.last else {
      stopProgram("cannot append items to a snapshot without sections: append a section first")
    }
    _ = items(of: section)
    Self.requireDifferent(identifiers, "item")
    remove(identifiers)
    contents[section]?.append(contentsOf: identifiers)
    for identifier in identifiers { sectionsOfItems[identifier] = section }
  }

  /// Inserts items before another item. Items that are already in the snapshot are moved.
  ///
  /// Stops the program if the other item is not in the snapshot, or if an identifier occurs twice.
  ///
  /// ```swift
  /// var snapshot = NSDiffableDataSourceSnapshot<String, Int>()
  /// snapshot.appendSections(["A"])
  /// snapshot.appendItems([1, 3])
  /// snapshot.insertItems([2], beforeItem: 3)
  /// print(snapshot.itemIdentifiers)  // [1, 2, 3]
  /// ```
  public mutating func insertItems(
    _ identifiers: [ItemIdentifierType], beforeItem beforeIdentifier: ItemIdentifierType
  ) {
    insert(identifiers, at: beforeIdentifier, offset: 0)
  }

  /// Inserts items after another item. Items that are already in the snapshot are moved.
  ///
  /// Stops the program if the other item is not in the snapshot, or if an identifier occurs twice.
  ///
  /// ```swift
  /// var snapshot = NSDiffableDataSourceSnapshot<String, Int>()
  /// snapshot.appendSections(["A"])
  /// snapshot.appendItems([1, 2])
  /// snapshot.insertItems([3, 4], afterItem: 2)
  /// print(snapshot.itemIdentifiers)  // [1, 2, 3, 4]
  /// ```
  public mutating func insertItems(
    _ identifiers: [ItemIdentifierType], afterItem afterIdentifier: ItemIdentifierType
  ) {
    insert(identifiers, at: afterIdentifier, offset: 1)
  }

  /// Moves an item before another item. Stops the program if one of them is missing or if they are the same.
  ///
  /// ```swift
  /// var snapshot = NSDiffableDataSourceSnapshot<String, Int>()
  /// snapshot.appendSections(["A"])
  /// snapshot.appendItems([1, 2, 3])
  /// snapshot.moveItem(3, beforeItem: 1)
  /// print(snapshot.itemIdentifiers)  // [3, 1, 2]
  /// ```
  public mutating func moveItem(
    _ identifier: ItemIdentifierType, beforeItem toIdentifier: ItemIdentifierType
  ) {
    _ = requiredPlace(of: identifier)
    insert([identifier], at: toIdentifier, offset: 0)
  }

  /// Moves an item after another item. Stops the program if one of them is missing or if they are the same.
  ///
  /// ```swift
  /// var snapshot = NSDiffableDataSourceSnapshot<String, Int>()
  /// snapshot.appendSections(["A", "B"])
  /// snapshot.appendItems([1, 2], toSection: "A")
  /// snapshot.appendItems([3], toSection: "B")
  /// snapshot.moveItem(1, afterItem: 3)
  /// print(snapshot.itemIdentifiers(inSection: "B"))  // [3, 1]
  /// ```
  public mutating func moveItem(
    _ identifier: ItemIdentifierType, afterItem toIdentifier: ItemIdentifierType
  ) {
    _ = requiredPlace(of: identifier)
    insert([identifier], at: toIdentifier, offset: 1)
  }

  /// Deletes items. Items that are not in the snapshot are ignored.
  public mutating func deleteItems(_ identifiers: [ItemIdentifierType]) {
    remove(identifiers)
    for identifier in identifiers { unmark(identifier) }
  }

  /// Deletes all items and sections.
  public mutating func deleteAllItems() { self = Self() }

  private mutating func insert(
    _ identifiers: [ItemIdentifierType], at anchor: ItemIdentifierType, offset: Int
  ) {
    Self.requireDifferent(identifiers + [anchor], "item")
    _ = requiredPlace(of: anchor)
    remove(identifiers)
    // The anchor is looked up again, because the removal may have shifted it.
    let place = requiredPlace(of: anchor)
    var items = Array(contents.values[place.section])
    items.insert(contentsOf: identifiers, at: place.row + offset)
    contents.values[place.section] = OrderedSet(items)
    let section = contents.keys[place.section]
    for identifier in identifiers { sectionsOfItems[identifier] = section }
  }

  /// Removes items from their sections. They stay in `reloadedItems` and `reconfiguredItems`.
  private mutating func remove(_ identifiers: [ItemIdentifierType]) {
    // Grouped, so that each section is copied once, not for each item.
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
