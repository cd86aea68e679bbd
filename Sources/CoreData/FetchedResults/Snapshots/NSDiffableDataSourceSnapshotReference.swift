import OrderedCollections

/// A snapshot with identifiers of any type, as delegates of fetched results controllers are given it: the
/// sections by their names, the items by their object IDs.
///
/// ```swift
/// func show(_ reference: NSDiffableDataSourceSnapshotReference) {
///   let snapshot = NSDiffableDataSourceSnapshot<String, NSManagedObjectID>(reference)
///   print(snapshot.numberOfItems)
/// }
/// ```
///
/// Compared to UIKit's: it is made a snapshot of known types, and of such a one, by initialisers; `as` does that
/// on Apple's systems alone. Identifiers have to be `Hashable`; another one stops the program.
nonisolated open class NSDiffableDataSourceSnapshotReference: NSObject, NSCopying {
  /// The sections and items.
  private(set) lazy var snapshot: NSDiffableDataSourceSnapshot<AnyHashable, AnyHashable> = {
    defer { contents = nil }
    return contents?() ?? NSDiffableDataSourceSnapshot()
  }()
  private var contents: (() -> NSDiffableDataSourceSnapshot<AnyHashable, AnyHashable>)?

  /// Makes a snapshot without sections.
  public override init() {}

  /// Makes a snapshot of the same sections and items, marked alike.
  public convenience init<Section: Hashable, Item: Hashable>(
    _ snapshot: NSDiffableDataSourceSnapshot<Section, Item>
  ) {
    // The closure holds no types: a type that is known to one actor alone may not be used by another.
    let typed: any TypedSnapshot = snapshot
    self.init { typed.untyped() }
  }

  /// Makes a snapshot whose contents are made when they are asked for first.
  init(_ contents: @escaping () -> NSDiffableDataSourceSnapshot<AnyHashable, AnyHashable>) {
    self.contents = contents
  }

  /// Has the contents made, if they are not yet.
  func make() { _ = snapshot }

  /// A snapshot with the same sections and items, apart from this one.
  open func copy(with zone: NSZone? = nil) -> Any {
    let snapshot = snapshot
    return NSDiffableDataSourceSnapshotReference { snapshot }
  }

  /// Whether the other object is a snapshot of the same sections and items, marked alike.
  open override func isEqual(_ object: Any?) -> Bool {
    (object as? NSDiffableDataSourceSnapshotReference)?.snapshot == snapshot
  }

  /// Equal for equal snapshots.
  open override var hash: Int { snapshot.numberOfItems &* 31 &+ snapshot.numberOfSections }

  // MARK: Reading

  /// How many items all sections have together.
  open var numberOfItems: Int { snapshot.numberOfItems }
  /// How many sections there are.
  open var numberOfSections: Int { snapshot.numberOfSections }
  /// The sections, in order.
  open var sectionIdentifiers: [Any] { snapshot.sectionIdentifiers.map(\.base) }
  /// The items of all sections, in order.
  open var itemIdentifiers: [Any] { snapshot.itemIdentifiers.map(\.base) }
  /// The sections that were marked to be shown anew.
  open var reloadedSectionIdentifiers: [Any] { snapshot.reloadedSectionIdentifiers.map(\.base) }
  /// The items that were marked to be shown anew.
  open var reloadedItemIdentifiers: [Any] { snapshot.reloadedItemIdentifiers.map(\.base) }
  /// The items whose cells were marked to be kept and filled anew.
  open var reconfiguredItemIdentifiers: [Any] { snapshot.reconfiguredItemIdentifiers.map(\.base) }

  /// How many items a section has. A section that is not there stops the program.
  open func numberOfItems(inSection sectionIdentifier: Any) -> Int {
    snapshot.numberOfItems(inSection: Self.key(sectionIdentifier))
  }

  /// The items of a section, in order. A section that is not there stops the program.
  open func itemIdentifiersInSection(withIdentifier sectionIdentifier: Any) -> [Any] {
    snapshot.itemIdentifiers(inSection: Self.key(sectionIdentifier)).map(\.base)
  }

  /// The section of an item; nil for an item that is not there.
  open func sectionIdentifier(forSectionContainingItemIdentifier itemIdentifier: Any) -> Any? {
    snapshot.sectionIdentifier(containingItem: Self.key(itemIdentifier))?.base
  }

  /// The place of an item among the items of all sections; `NSNotFound` for one that is not there.
  open func index(ofItemIdentifier itemIdentifier: Any) -> Int {
    snapshot.indexOfItem(Self.key(itemIdentifier)) ?? NSNotFound
  }

  /// The place of a section; `NSNotFound` for one that is not there.
  open func index(ofSectionIdentifier sectionIdentifier: Any) -> Int {
    snapshot.indexOfSection(Self.key(sectionIdentifier)) ?? NSNotFound
  }

  // MARK: Items

  /// Adds items at the end of the last section.
  open func appendItems(withIdentifiers identifiers: [Any]) {
    snapshot.appendItems(Self.keys(identifiers))
  }
  /// Adds items at the end of a section.
  open func appendItems(
    withIdentifiers identifiers: [Any], intoSectionWithIdentifier sectionIdentifier: Any
  ) {
    snapshot.appendItems(Self.keys(identifiers), toSection: Self.key(sectionIdentifier))
  }
  /// Puts items before another one.
  open func insertItems(
    withIdentifiers identifiers: [Any], beforeItemWithIdentifier itemIdentifier: Any
  ) {
    snapshot.insertItems(Self.keys(identifiers), beforeItem: Self.key(itemIdentifier))
  }
  /// Puts items behind another one.
  open func insertItems(
    withIdentifiers identifiers: [Any], afterItemWithIdentifier itemIdentifier: Any
  ) {
    snapshot.insertItems(Self.keys(identifiers), afterItem: Self.key(itemIdentifier))
  }
  /// Removes items; those that are not there do not matter.
  open func deleteItems(withIdentifiers identifiers: [Any]) {
    snapshot.deleteItems(Self.keys(identifiers))
  }
  /// Removes all items and sections.
  open func deleteAllItems() { snapshot.deleteAllItems() }
  /// Moves an item before another one.
  open func moveItem(withIdentifier from: Any, beforeItemWithIdentifier to: Any) {
    snapshot.moveItem(Self.key(from), beforeItem: Self.key(to))
  }
  /// Moves an item behind another one.
  open func moveItem(withIdentifier from: Any, afterItemWithIdentifier to: Any) {
    snapshot.moveItem(Self.key(from), afterItem: Self.key(to))
  }
  /// Marks items to be shown anew.
  open func reloadItems(withIdentifiers identifiers: [Any]) {
    snapshot.reloadItems(Self.keys(identifiers))
  }
  /// Marks items whose cells are to be kept and filled anew.
  open func reconfigureItems(withIdentifiers identifiers: [Any]) {
    snapshot.reconfigureItems(Self.keys(identifiers))
  }

  // MARK: Sections

  /// Adds sections at the end.
  open func appendSections(withIdentifiers sectionIdentifiers: [Any]) {
    snapshot.appendSections(Self.keys(sectionIdentifiers))
  }
  /// Puts sections before another one.
  open func insertSections(
    withIdentifiers sectionIdentifiers: [Any], beforeSectionWithIdentifier to: Any
  ) {
    snapshot.insertSections(Self.keys(sectionIdentifiers), beforeSection: Self.key(to))
  }
  /// Puts sections behind another one.
  open func insertSections(
    withIdentifiers sectionIdentifiers: [Any], afterSectionWithIdentifier to: Any
  ) {
    snapshot.insertSections(Self.keys(sectionIdentifiers), afterSection: Self.key(to))
  }
  /// Removes sections and their items; those that are not there do not matter.
  open func deleteSections(withIdentifiers sectionIdentifiers: [Any]) {
    snapshot.deleteSections(Self.keys(sectionIdentifiers))
  }
  /// Moves a section before another one.
  open func moveSection(withIdentifier from: Any, beforeSectionWithIdentifier to: Any) {
    snapshot.moveSection(Self.key(from), beforeSection: Self.key(to))
  }
  /// Moves a section behind another one.
  open func moveSection(withIdentifier from: Any, afterSectionWithIdentifier to: Any) {
    snapshot.moveSection(Self.key(from), afterSection: Self.key(to))
  }
  /// Marks sections to be shown anew.
  open func reloadSections(withIdentifiers sectionIdentifiers: [Any]) {
    snapshot.reloadSections(Self.keys(sectionIdentifiers))
  }

  private static func key(_ identifier: Any) -> AnyHashable {
    guard let key = identifier as? AnyHashable else {
      stopProgram("an identifier has to be Hashable, and \(type(of: identifier)) is not")
    }
    return key
  }

  private static func keys(_ identifiers: [Any]) -> [AnyHashable] { identifiers.map(key) }
}

extension NSDiffableDataSourceSnapshot {
  /// The sections and items of a snapshot of any types; one of another type stops the program, as a cast
  /// does.
  public init(_ reference: NSDiffableDataSourceSnapshotReference) {
    func typed<Identifier>(_ key: AnyHashable) -> Identifier {
      guard let identifier = key.base as? Identifier else {
        stopProgram("an identifier is a \(type(of: key.base)), no \(Identifier.self)")
      }
      return identifier
    }
    self = reference.snapshot.mapped(typed, typed)
  }

  /// The snapshot with other identifiers in place of its own, which are to be different ones for different ones.
  fileprivate func mapped<Section, Item>(
    _ section: (SectionIdentifierType) -> Section, _ item: (ItemIdentifierType) -> Item
  ) -> NSDiffableDataSourceSnapshot<Section, Item> {
    var result = NSDiffableDataSourceSnapshot<Section, Item>()
    for (identifier, items) in contents {
      let identifier = section(identifier)
      result.appendSections([identifier])
      result.appendItems(items.map(item), toSection: identifier)
    }
    result.reloadSections(reloadedSections.map(section))
    result.reloadItems(reloadedItems.map(item))
    result.reconfigureItems(reconfiguredItems.map(item))
    return result
  }
}

/// A snapshot whose identifiers' types are not known.
private protocol TypedSnapshot {
  func untyped() -> NSDiffableDataSourceSnapshot<AnyHashable, AnyHashable>
}

extension NSDiffableDataSourceSnapshot: TypedSnapshot {
  fileprivate func untyped() -> NSDiffableDataSourceSnapshot<AnyHashable, AnyHashable> {
    // Casts, where a function as an argument would hold the types.
    var result = NSDiffableDataSourceSnapshot<AnyHashable, AnyHashable>()
    for (identifier, items) in contents {
      let section = identifier as AnyHashable
      result.appendSections([section])
      result.appendItems(Array(items) as [AnyHashable], toSection: section)
    }
    result.reloadSections(Array(reloadedSections) as [AnyHashable])
    result.reloadItems(Array(reloadedItems) as [AnyHashable])
    result.reconfigureItems(Array(reconfiguredItems) as [AnyHashable])
    return result
  }
}
