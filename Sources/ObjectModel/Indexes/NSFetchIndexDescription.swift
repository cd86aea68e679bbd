/// An index of an entity in the store.
nonisolated open class NSFetchIndexDescription: NSObject, NSCopying, @unchecked Sendable {
  /// The index's name, unique in its entity.
  open var name: String {
    willSet { requireMutable(isImmutable, label) }
  }

  /// The columns, the most significant first.
  open var elements: [NSFetchIndexElementDescription] {
    willSet { requireMutable(isImmutable, label) }
    didSet { adoptElements() }
  }

  /// The index's entity. The reference is weak: the entity owns its indexes.
  open package(set) var entity: NSEntityDescription? {
    get { entityReference.entity }
    set { entityReference = EntityReference(newValue) }
  }
  private final var entityReference = EntityReference(nil)

  /// The text of the predicate that selects the indexed objects; nil if all are indexed.
  package final var partialPredicateFormat: String? {
    willSet { requireMutable(isImmutable, label) }
  }

  /// Whether SQLite stores contain the index as an R-tree. One R-tree element is enough.
  package final var isRTree: Bool { elements.contains { $0.collationType == .rTree } }

  /// The maximum number of attributes of an R-tree (sqlite.org/rtree.html).
  package static let mostRTreeAttributes = 5

  final var label: String { "index \(entity?.name ?? "").\(name)" }

  /// Whether the index can no longer change.
  package final var isImmutable = false

  /// Creates an index with a name and its columns.
  ///
  /// ```swift
  /// let version2 = model.copy() as? NSManagedObjectModel ?? model
  /// if let person = version2.entitiesByName["Person"], let age = person.attributesByName["age"] {
  ///   let byAge = NSFetchIndexElementDescription(property: age, collationType: .binary)
  ///   person.indexes.append(NSFetchIndexDescription(name: "byAge", elements: [byAge]))
  /// }
  /// ```
  public init(name: String, elements: [NSFetchIndexElementDescription]?) {
    self.name = name
    self.elements = elements ?? []
    super.init()
    adoptElements()
  }

  /// Creates an index without a name or columns.
  public override init() {
    name = ""
    elements = []
    super.init()
  }

  private func adoptElements() {
    // A part of a model in use stays where it is, and `BelongingRules` reports it.
    for element in elements where !element.isImmutable { element.indexDescription = self }
  }

  /// Returns a mutable copy, including the elements, that belongs to no entity.
  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = NSFetchIndexDescription(
      name: name, elements: elements.compactMap { $0.copy() as? NSFetchIndexElementDescription })
    copy.partialPredicateFormat = partialPredicateFormat
    return copy
  }

  /// Makes the index and its elements immutable.
  final func freeze() {
    isImmutable = true
    for element in elements { element.isImmutable = true }
  }
}
