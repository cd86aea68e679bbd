import OrderedCollections

/// The content of a list at one moment: sections and their items, represented by unique identifiers.
///
/// ```swift
/// var snapshot = NSDiffableDataSourceSnapshot<String, NSManagedObjectID>()
/// snapshot.appendSections(["A", "B"])
/// let shown = snapshot
/// snapshot.appendItems(people.map(\.objectID), toSection: "A")
/// for path in snapshot.difference(from: shown).insertedRows { print("insert", path) }
/// ```
///
/// A snapshot is a value type. Finding a section, or the section of an item, is O(1); finding the index of an item is
/// O(s) for s sections; appending is O(1) for each item; inserting, moving and deleting are O(n) for the n items of
/// the section.
///
/// Errors for which UIKit raises exceptions stop the program: identifiers that occur twice in one call, and missing
/// identifiers that are required. As in UIKit, inserting an identifier that is already in the snapshot moves it.
/// Deleting a missing identifier does nothing.
///
/// Source: the type of the same name in Apple's UIKit documentation. `difference(from:)` is new.
public struct NSDiffableDataSourceSnapshot<
  SectionIdentifierType: Hashable, ItemIdentifierType: Hashable
> {
  var contents: OrderedDictionary<SectionIdentifierType, OrderedSet<ItemIdentifierType>> = [:]
  var sectionsOfItems: [ItemIdentifierType: SectionIdentifierType] = [:]
  var reloadedSections: OrderedSet<SectionIdentifierType> = []
  var reloadedItems: OrderedSet<ItemIdentifierType> = []
  var reconfiguredItems: OrderedSet<ItemIdentifierType> = []

  /// Creates an empty snapshot.
  public init() {}

  // MARK: Sections and items

  /// The number of items in all sections.
  public var numberOfItems: Int { sectionsOfItems.count }
  /// The number of sections.
  public var numberOfSections: Int { contents.count }
  /// The section identifiers, in order.
  public var sectionIdentifiers: [SectionIdentifierType] { Array(contents.keys) }
  /// The item identifiers of all sections, in order.
  public var itemIdentifiers: [ItemIdentifierType] { contents.values.flatMap { $0 } }

  /// Returns the number of items in a section. Stops the program if the section is not in the snapshot.
  public func numberOfItems(inSection identifier: SectionIdentifierType) -> Int {
    items(of: identifier).count
  }

  /// Returns the items of a section, in order. Stops the program if the section is not in the snapshot.
  public func itemIdentifiers(inSection identifier: SectionIdentifierType) -> [ItemIdentifierType] {
    Array(items(of: identifier))
  }

  /// Returns the section of an item; nil if the item is not in the snapshot.
  ///
  /// ```swift
  /// var snapshot = NSDiffableDataSourceSnapshot<String, Int>()
  /// snapshot.appendSections(["A", "B"])
  /// snapshot.appendItems([10, 20], toSection: "B")
  /// print(snapshot.sectionIdentifier(containingItem: 20) ?? "")  // B
  /// ```
  public func sectionIdentifier(
    containingItem identifier: ItemIdentifierType
  ) -> SectionIdentifierType? {
    sectionsOfItems[identifier]
  }

  /// Returns the index of an item among the items of all sections; nil if the item is not in the snapshot.
  ///
  /// ```swift
  /// var snapshot = NSDiffableDataSourceSnapshot<String, Int>()
  /// snapshot.appendSections(["A", "B"])
  /// snapshot.appendItems([10, 20], toSection: "A")
  /// snapshot.appendItems([30], toSection: "B")
  /// print(snapshot.indexOfItem(30) ?? -1)  // 2: the items of the first section count
  /// ```
  public func indexOfItem(_ identifier: ItemIdentifierType) -> Int? {
    guard let place = place(of: identifier) else { return nil }
    return contents.values.prefix(place.section).reduce(place.row) { $0 + $1.count }
  }

  /// Returns the index of a section; nil if the section is not in the snapshot.
  public func indexOfSection(_ identifier: SectionIdentifierType) -> Int? {
    contents.index(forKey: identifier)
  }

  // MARK: Reloading

  /// The sections that are marked as reloaded, in the order in which they were marked.
  public var reloadedSectionIdentifiers: [SectionIdentifierType] { Array(reloadedSections) }
  /// The items that are marked as reloaded, in the order in which they were marked.
  public var reloadedItemIdentifiers: [ItemIdentifierType] { Array(reloadedItems) }
  /// The items marked as reconfigured, in the order in which they were marked: their cells are kept and updated.
  public var reconfiguredItemIdentifiers: [ItemIdentifierType] { Array(reconfiguredItems) }

  /// Marks sections as reloaded. Stops the program if one of them is not in the snapshot.
  public mutating func reloadSections(_ identifiers: [SectionIdentifierType]) {
    for identifier in identifiers {
      _ = items(of: identifier)
      reloadedSections.append(identifier)
    }
  }

  /// Marks items as reloaded. Stops the program if one of them is not in the snapshot.
  ///
  /// ```swift
  /// var snapshot = NSDiffableDataSourceSnapshot<String, Int>()
  /// snapshot.appendSections(["A"])
  /// snapshot.appendItems([1, 2])
  /// let shown = snapshot
  /// snapshot.reloadItems([2])
  /// print(snapshot.difference(from: shown).reloadedRows.count)  // 1
  /// ```
  public mutating func reloadItems(_ identifiers: [ItemIdentifierType]) {
    for identifier in identifiers {
      _ = requiredPlace(of: identifier)
      reloadedItems.append(identifier)
    }
  }

  /// Marks items as reconfigured: their cells are kept and updated. Stops the program if one of them is missing.
  ///
  /// ```swift
  /// var snapshot = NSDiffableDataSourceSnapshot<String, Int>()
  /// snapshot.appendSections(["A"])
  /// snapshot.appendItems([1, 2])
  /// snapshot.reconfigureItems([1])
  /// print(snapshot.reconfiguredItemIdentifiers)  // [1]
  /// ```
  public mutating func reconfigureItems(_ identifiers: [ItemIdentifierType]) {
    for identifier in identifiers {
      _ = requiredPlace(of: identifier)
      reconfiguredItems.append(identifier)
    }
  }

  // MARK: Places

  func items(of section: SectionIdentifierType) -> OrderedSet<ItemIdentifierType> {
    guard let items = contents[section] else {
      stopProgram("section \(section) is not in the snapshot")
    }
    return items
  }

  func place(of item: ItemIdentifierType) -> (section: Int, row: Int)? {
    guard let section = sectionsOfItems[item], let index = contents.index(forKey: section),
      let row = contents.values[index].firstIndex(of: item)
    else { return nil }
    return (index, row)
  }

  func requiredPlace(of item: ItemIdentifierType) -> (section: Int, row: Int) {
    guard let place = place(of: item) else { stopProgram("item \(item) is not in the snapshot") }
    return place
  }

  static func requireDifferent<Identifier: Hashable>(_ identifiers: [Identifier], _ kind: String) {
    var seen: Set<Identifier> = []
    for identifier in identifiers where !seen.insert(identifier).inserted {
      stopProgram("the supplied \(kind) identifiers are not unique: \(identifier) occurs twice")
    }
  }
}

extension NSDiffableDataSourceSnapshot: Sendable
where SectionIdentifierType: Sendable, ItemIdentifierType: Sendable {}

extension NSDiffableDataSourceSnapshot: Equatable {
  /// Returns whether both snapshots have the same sections, items and marks in the same order.
  public static func == (left: Self, right: Self) -> Bool {
    // `sectionsOfItems` follows from the contents.
    left.contents.elementsEqual(right.contents) { $0.key == $1.key && $0.value == $1.value }
      && left.reloadedSections == right.reloadedSections
      && left.reloadedItems == right.reloadedItems
      && left.reconfiguredItems == right.reconfiguredItems
  }
}
