import OrderedCollections

/// Sections and their items at one moment, by identifiers that are all different: what a list is to show.
///
/// ```swift
/// var snapshot = NSDiffableDataSourceSnapshot<String, NSManagedObjectID>()
/// snapshot.appendSections(["A", "B"])
/// let shown = snapshot
/// snapshot.appendItems(people.map(\.objectID), toSection: "A")
/// for path in snapshot.difference(from: shown).insertedRows { print("insert", path) }
/// ```
///
/// A value: a copy is one's own. Finding a section, or the section of an item, is O(1); finding the place of
/// an item O(s) for s sections; appending O(1) an item, inserting, moving and deleting O(n) for the n items of
/// the section.
///
/// What UIKit refuses by an exception stops the program here: identifiers that are supplied twice in one call,
/// and ones that have to be there and are not. Identifiers that are inserted and there already are moved, as
/// there. Deleting what is not there does nothing.
///
/// Source: the type of the same name in Apple's UIKit documentation, whose members these are.
public struct NSDiffableDataSourceSnapshot<
  SectionIdentifierType: Hashable, ItemIdentifierType: Hashable
> {
  var contents: OrderedDictionary<SectionIdentifierType, OrderedSet<ItemIdentifierType>> = [:]
  var sectionsOfItems: [ItemIdentifierType: SectionIdentifierType] = [:]
  var reloadedSections: OrderedSet<SectionIdentifierType> = []
  var reloadedItems: OrderedSet<ItemIdentifierType> = []
  var reconfiguredItems: OrderedSet<ItemIdentifierType> = []

  /// Makes a snapshot without sections.
  public init() {}

  // MARK: Sections and items

  /// How many items all sections have together.
  public var numberOfItems: Int { sectionsOfItems.count }
  /// How many sections there are.
  public var numberOfSections: Int { contents.count }
  /// The sections, in order.
  public var sectionIdentifiers: [SectionIdentifierType] { Array(contents.keys) }
  /// The items of all sections, in order.
  public var itemIdentifiers: [ItemIdentifierType] { contents.values.flatMap { $0 } }

  /// How many items a section has. A section that is not there stops the program.
  public func numberOfItems(inSection identifier: SectionIdentifierType) -> Int {
    items(of: identifier).count
  }

  /// The items of a section, in order. A section that is not there stops the program.
  public func itemIdentifiers(inSection identifier: SectionIdentifierType) -> [ItemIdentifierType] {
    Array(items(of: identifier))
  }

  /// The section of an item; nil for an item that is not there.
  public func sectionIdentifier(
    containingItem identifier: ItemIdentifierType
  ) -> SectionIdentifierType? {
    sectionsOfItems[identifier]
  }

  /// The place of an item among the items of all sections; nil for one that is not there.
  public func indexOfItem(_ identifier: ItemIdentifierType) -> Int? {
    guard let place = place(of: identifier) else { return nil }
    return contents.values.prefix(place.section).reduce(place.row) { $0 + $1.count }
  }

  /// The place of a section; nil for one that is not there.
  public func indexOfSection(_ identifier: SectionIdentifierType) -> Int? {
    contents.index(forKey: identifier)
  }

  // MARK: What is to be shown anew

  /// The sections that were marked to be shown anew, in the order in which they were.
  public var reloadedSectionIdentifiers: [SectionIdentifierType] { Array(reloadedSections) }
  /// The items that were marked to be shown anew, in the order in which they were.
  public var reloadedItemIdentifiers: [ItemIdentifierType] { Array(reloadedItems) }
  /// The items whose cells were marked to be kept and filled anew, in the order in which they were.
  public var reconfiguredItemIdentifiers: [ItemIdentifierType] { Array(reconfiguredItems) }

  /// Marks sections to be shown anew. One that is not there stops the program.
  public mutating func reloadSections(_ identifiers: [SectionIdentifierType]) {
    for identifier in identifiers {
      _ = items(of: identifier)
      reloadedSections.append(identifier)
    }
  }

  /// Marks items to be shown anew. One that is not there stops the program.
  public mutating func reloadItems(_ identifiers: [ItemIdentifierType]) {
    for identifier in identifiers {
      _ = requiredPlace(of: identifier)
      reloadedItems.append(identifier)
    }
  }

  /// Marks items whose cells are to be kept and filled anew. One that is not there stops the program.
  public mutating func reconfigureItems(_ identifiers: [ItemIdentifierType]) {
    for identifier in identifiers {
      _ = requiredPlace(of: identifier)
      reconfiguredItems.append(identifier)
    }
  }

  // MARK: Places

  func items(of section: SectionIdentifierType) -> OrderedSet<ItemIdentifierType> {
    guard let items = contents[section] else { stopProgram("there is no section \(section)") }
    return items
  }

  func place(of item: ItemIdentifierType) -> (section: Int, row: Int)? {
    guard let section = sectionsOfItems[item], let index = contents.index(forKey: section),
      let row = contents.values[index].firstIndex(of: item)
    else { return nil }
    return (index, row)
  }

  func requiredPlace(of item: ItemIdentifierType) -> (section: Int, row: Int) {
    guard let place = place(of: item) else { stopProgram("there is no item \(item)") }
    return place
  }

  static func requireDifferent<Identifier: Hashable>(_ identifiers: [Identifier], _ kind: String) {
    var seen: Set<Identifier> = []
    for identifier in identifiers where !seen.insert(identifier).inserted {
      stopProgram("the supplied \(kind) identifiers are not unique: \(identifier) comes twice")
    }
  }
}

extension NSDiffableDataSourceSnapshot: Sendable
where SectionIdentifierType: Sendable, ItemIdentifierType: Sendable {}

extension NSDiffableDataSourceSnapshot: Equatable {
  /// Whether both have the same sections with the same items in the same order, marked alike.
  public static func == (left: Self, right: Self) -> Bool {
    left.contents.elementsEqual(right.contents) { $0.key == $1.key && $0.value == $1.value }
      && left.reloadedSections == right.reloadedSections
      && left.reloadedItems == right.reloadedItems
      && left.reconfiguredItems == right.reconfiguredItems
  }
}
