import OrderedCollections

/// A snapshot with identifiers of any type. The delegates of fetched results controllers receive snapshots in this
/// form, with section names and object IDs as identifiers.
///
/// ```swift
/// func show(_ reference: NSDiffableDataSourceSnapshotReference) {
///   let snapshot = NSDiffableDataSourceSnapshot<String, NSManagedObjectID>(reference)
///   print(snapshot.numberOfItems)
/// }
/// ```
///
/// Compared to UIKit: initializers convert between this class and snapshots with static types, because `as` converts
/// them only on Apple's platforms. Identifiers that are not `Hashable` stop the program. So do the errors for which
/// `NSDiffableDataSourceSnapshot` stops it.
nonisolated open class NSDiffableDataSourceSnapshotReference: NSObject, NSCopying {
  /// The sections and items, created on first access.
  private(set) lazy var snapshot: NSDiffableDataSourceSnapshot<AnyHashable, AnyHashable> = {
    // Releases what the closure retains, such as live results.
    defer { contents = nil }
    return contents?() ?? NSDiffableDataSourceSnapshot()
  }()
  private var contents: (() -> NSDiffableDataSourceSnapshot<AnyHashable, AnyHashable>)?

  /// Creates an empty snapshot.
  public override init() {}

  /// Creates a snapshot with the same sections, items and marks.
  ///
  /// ```swift
  /// var snapshot = NSDiffableDataSourceSnapshot<String, Int>()
  /// snapshot.appendSections(["A"])
  /// snapshot.appendItems([1, 2])
  /// let reference = NSDiffableDataSourceSnapshotReference(snapshot)
  /// print(reference.numberOfItems)  // 2
  /// ```
  public convenience init<Section: Hashable, Item: Hashable>(
    _ snapshot: NSDiffableDataSourceSnapshot<Section, Item>
  ) {
    // The closure must not capture the generic types, because types that are isolated to an actor cannot leave it.
    let typed: any TypedSnapshot = snapshot
    self.init { typed.untyped() }
  }

  /// Creates a snapshot whose contents are created when they are first accessed.
  init(_ contents: @escaping () -> NSDiffableDataSourceSnapshot<AnyHashable, AnyHashable>) {
    self.contents = contents
  }

  /// Creates the contents now, if they do not exist yet.
  func make() { _ = snapshot }

  /// Returns a copy with the same sections, items and marks.
  open func copy(with zone: NSZone? = nil) -> Any {
    // Made now, because the original may change before the copy's contents are accessed.
    let snapshot = snapshot
    return NSDiffableDataSourceSnapshotReference { snapshot }
  }

  /// Returns whether the other object is a snapshot with the same sections, items and marks.
  open override func isEqual(_ object: Any?) -> Bool {
    (object as? NSDiffableDataSourceSnapshotReference)?.snapshot == snapshot
  }

  /// The hash value, which is equal for equal snapshots.
  open override var hash: Int { snapshot.numberOfItems &* 31 &+ snapshot.numberOfSections }

  // MARK: Reading

  /// The number of items in all sections.
  open var numberOfItems: Int { snapshot.numberOfItems }
  /// The number of sections.
  open var numberOfSections: Int { snapshot.numberOfSections }
  /// The section identifiers, in order.
  open var sectionIdentifiers: [Any] { snapshot.sectionIdentifiers.map(\.base) }
  /// The item identifiers of all sections, in order.
  open var itemIdentifiers: [Any] { snapshot.itemIdentifiers.map(\.base) }
  /// The sections that are marked as reloaded.
  open var reloadedSectionIdentifiers: [Any] { snapshot.reloadedSectionIdentifiers.map(\.base) }
  /// The items that are marked as reloaded.
  open var reloadedItemIdentifiers: [Any] { snapshot.reloadedItemIdentifiers.map(\.base) }
  /// The items that are marked as reconfigured: their cells are kept and updated.
  open var reconfiguredItemIdentifiers: [Any] { snapshot.reconfiguredItemIdentifiers.map(\.base) }

  /// Returns the number of items in a section. Stops the program if the section is not in the snapshot.
  open func numberOfItems(inSection sectionIdentifier: Any) -> Int {
    snapshot.numberOfItems(inSection: Self.key(sectionIdentifier))
  }

  /// Returns the items of a section, in order. Stops the program if the section is not in the snapshot.
  ///
  /// ```swift
  /// let snapshot = NSDiffableDataSourceSnapshotReference()
  /// snapshot.appendSections(withIdentifiers: ["A"])
  /// snapshot.appendItems(withIdentifiers: [1, 2], intoSectionWithIdentifier: "A")
  /// print(snapshot.itemIdentifiersInSection(withIdentifier: "A").count)  // 2
  /// ```
  open func itemIdentifiersInSection(withIdentifier sectionIdentifier: Any) -> [Any] {
    snapshot.itemIdentifiers(inSection: Self.key(sectionIdentifier)).map(\.base)
  }

  /// Returns the section of an item; nil if the item is not in the snapshot.
  open func sectionIdentifier(forSectionContainingItemIdentifier itemIdentifier: Any) -> Any? {
    snapshot.sectionIdentifier(containingItem: Self.key(itemIdentifier))?.base
  }

  /// Returns the index of an item among the items of all sections; `NSNotFound` if the item is not in the snapshot.
  ///
  /// ```swift
  /// let snapshot = NSDiffableDataSourceSnapshotReference()
  /// snapshot.appendSections(withIdentifiers: ["A"])
  /// snapshot.appendItems(withIdentifiers: ["x", "y"])
  /// print(snapshot.index(ofItemIdentifier: "y"))  // 1
  /// print(snapshot.index(ofItemIdentifier: "z") == NSNotFound)  // true
  /// ```
  open func index(ofItemIdentifier itemIdentifier: Any) -> Int {
    snapshot.indexOfItem(Self.key(itemIdentifier)) ?? NSNotFound
  }

  /// Returns the index of a section; `NSNotFound` if the section is not in the snapshot.
  open func index(ofSectionIdentifier sectionIdentifier: Any) -> Int {
    snapshot.indexOfSection(Self.key(sectionIdentifier)) ?? NSNotFound
  }

  // MARK: Items

  /// Appends items to the last section.
  open func appendItems(withIdentifiers identifiers: [Any]) {
    snapshot.appendItems(Self.keys(identifiers))
  }
  /// Appends items to a section.
  open func appendItems(
    withIdentifiers identifiers: [Any], intoSectionWithIdentifier sectionIdentifier: Any
  ) {
    snapshot.appendItems(Self.keys(identifiers), toSection: Self.key(sectionIdentifier))
  }
  /// Inserts items before another item.
  open func insertItems(
    withIdentifiers identifiers: [Any], beforeItemWithIdentifier itemIdentifier: Any
  ) {
    snapshot.insertItems(Self.keys(identifiers), beforeItem: Self.key(itemIdentifier))
  }
  /// Inserts items after another item.
  open func insertItems(
    withIdentifiers identifiers: [Any], afterItemWithIdentifier itemIdentifier: Any
  ) {
    snapshot.insertItems(Self.keys(identifiers), afterItem: Self.key(itemIdentifier))
  }
  /// Deletes items. Items that are not in the snapshot are ignored.
  open func deleteItems(withIdentifiers identifiers: [Any]) {
    snapshot.deleteItems(Self.keys(identifiers))
  }
  /// Deletes all items and sections.
  open func deleteAllItems() { snapshot.deleteAllItems() }
  /// Moves an item before another item.
  open func moveItem(withIdentifier from: Any, beforeItemWithIdentifier to: Any) {
    snapshot.moveItem(Self.key(from), beforeItem: Self.key(to))
  }
  /// Moves an item after another item.
  open func moveItem(withIdentifier from: Any, afterItemWithIdentifier to: Any) {
    snapshot.moveItem(Self.key(from), afterItem: Self.key(to))
  }
  /// Marks items as reloaded.
  open func reloadItems(withIdentifiers identifiers: [Any]) {
    snapshot.reloadItems(Self.keys(identifiers))
  }
  /// Marks items as reconfigured: their cells are kept and updated.
  open func reconfigureItems(withIdentifiers identifiers: [Any]) {
    snapshot.reconfigureItems(Self.keys(identifiers))
  }

  // MARK: Sections

  /// Appends sections.
  open func appendSections(withIdentifiers sectionIdentifiers: [Any]) {
    snapshot.appendSections(Self.keys(sectionIdentifiers))
  }
  /// Inserts sections before another section.
  open func insertSections(
    withIdentifiers sectionIdentifiers: [Any], beforeSectionWithIdentifier to: Any
  ) {
    snapshot.insertSections(Self.keys(sectionIdentifiers), beforeSection: Self.key(to))
  }
  /// Inserts sections after another section.
  open func insertSections(
    withIdentifiers sectionIdentifiers: [Any], afterSectionWithIdentifier to: Any
  ) {
    snapshot.insertSections(Self.keys(sectionIdentifiers), afterSection: Self.key(to))
  }
  /// Deletes sections and their items. Sections that are not in the snapshot are ignored.
  open func deleteSections(withIdentifiers sectionIdentifiers: [Any]) {
    snapshot.deleteSections(Self.keys(sectionIdentifiers))
  }
  /// Moves a section before another section.
  open func moveSection(withIdentifier from: Any, beforeSectionWithIdentifier to: Any) {
    snapshot.moveSection(Self.key(from), beforeSection: Self.key(to))
  }
  /// Moves a section after another section.
  open func moveSection(withIdentifier from: Any, afterSectionWithIdentifier to: Any) {
    snapshot.moveSection(Self.key(from), afterSection: Self.key(to))
  }
  /// Marks sections as reloaded.
  open func reloadSections(withIdentifiers sectionIdentifiers: [Any]) {
    snapshot.reloadSections(Self.keys(sectionIdentifiers))
  }

  private static func key(_ identifier: Any) -> AnyHashable {
    guard let key = identifier as? AnyHashable else {
      stopProgram("an identifier must be Hashable, but \(type(of: identifier)) is not")
    }
    return key
  }

  private static func keys(_ identifiers: [Any]) -> [AnyHashable] { identifiers.map(key) }
}

extension NSDiffableDataSourceSnapshot {
  /// Converts a snapshot to static identifier types. Stops the program if an identifier has a
  /// different type.
  ///
  /// ```swift
  /// let reference = NSDiffableDataSourceSnapshotReference()
  /// reference.appendSections(withIdentifiers: ["A"])
  /// let snapshot = NSDiffableDataSourceSnapshot<String, NSManagedObjectID>(reference)
  /// print(snapshot.sectionIdentifiers)  // ["A"]
  /// ```
  public init(_ reference: NSDiffableDataSourceSnapshotReference) {
    func typed<Identifier>(_ key: AnyHashable) -> Identifier {
      guard let identifier = key.base as? Identifier else {
        stopProgram("an identifier is a \(type(of: key.base)), not a \(Identifier.self)")
      }
      return identifier
    }
    self = reference.snapshot.mapped(typed, typed)
  }

  /// Returns the snapshot with converted identifiers. Different identifiers must be converted to different ones.
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

/// A snapshot whose identifier types are not known statically.
private protocol TypedSnapshot {
  func untyped() -> NSDiffableDataSourceSnapshot<AnyHashable, AnyHashable>
}

extension NSDiffableDataSourceSnapshot: TypedSnapshot {
  fileprivate func untyped() -> NSDiffableDataSourceSnapshot<AnyHashable, AnyHashable> {
    // Casts inline, because a function passed as an argument would capture the generic types.
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
