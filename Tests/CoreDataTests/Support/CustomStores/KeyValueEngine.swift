import CoreData
import Foundation
import StoreEngine

/// A minimal engine, which keeps rows in a dictionary by their keys. Engines with the same name share the dictionary.
///
/// It returns rows by key, all rows of an entity, and the members of relationships. The context evaluates the rest of a
/// request with objects. It shows how little an engine has to implement, and that a new engine needs no change in any
/// module.
final class KeyValueEngine: OpenableEngine, @unchecked Sendable {
  static let storeType = "TestKeyValues"

  let origin: StoreOrigin
  let isReadOnly: Bool
  private let content: Content
  private let model: ModelLayout
  private let names: Set<String>
  private let shapes: [ValueRows]
  private var stagedMetadata: [String: Any]?
  /// The metadata that `stagedMetadata` replaces.
  private var baseMetadata: [String: Any] = [:]

  // MARK: Content

  fileprivate struct Row {
    let entity: String
    var version: Int32
    /// The values by property.
    var values: [String: StoredValue]
  }

  /// A to-many relationship of one row.
  private struct List: Hashable {
    let owner: Int64
    let relationship: String
  }

  /// The content that all engines of one name share.
  private final class Content: @unchecked Sendable {
    let lock = NSRecursiveLock()
    var metadata: [String: Any] = [:]
    var rows: [Int64: Row] = [:]
    /// The members of many-to-many relationships, which no row refers to, and the order of ordered relationships.
    var lists: [List: [Int64]] = [:]
    var lastKey: Int64 = 0
    var savers: Set<ObjectIdentifier> = []

    static let lock = NSLock()
    nonisolated(unsafe) static var named: [String: Content] = [:]

    static func find(_ location: StoreLocation) throws -> Content {
      guard let name = location.memoryName, let found = lock.withLock({ named[name] }) else {
        throw CoreDataError.make(
          NSPersistentStoreOpenError, "there is no store of key values at \(location)")
      }
      return found
    }
  }

  // MARK: Opening

  static func open(
    _ location: StoreLocation, model: ModelLayout, configuration: String?, options: StoreOptions,
    origin: StoreOrigin?
  ) throws -> KeyValueEngine {
    guard case .memory(let name) = location else {
      throw CoreDataError.make(
        NSPersistentStoreOpenError, "a store of key values is in memory, not at \(location)")
    }
    let new = Content()
    let content = Content.lock.withLock {
      guard let name else { return new }
      if let known = Content.named[name] { return known }
      Content.named[name] = new
      return new
    }
    let check = ModelCheck(model: model, configuration: configuration)
    let names = try check.entityNames()
    if content === new {
      content.metadata = StoreMetadata.new(for: model.model, entities: names, type: storeType)
    } else if !options.ignoresVersionHashes {
      let url = URL(fileURLWithPath: "/dev/null/\(name ?? "")")
      try check.require(content.metadata, url: url, storeModel: { nil })
    }
    return KeyValueEngine(content, model, Set(names), options, origin)
  }

  private init(
    _ content: Content, _ model: ModelLayout, _ names: Set<String>, _ options: StoreOptions,
    _ origin: StoreOrigin?
  ) {
    self.content = content
    self.model = model
    self.names = names
    isReadOnly = options.isReadOnly
    shapes = model.entities.map(ValueRows.init)
    let identifier = content.metadata[NSStoreUUIDKey] as? String ?? ""
    self.origin = origin ?? StoreOrigin(identifier: identifier)
    self.origin.identifier = identifier
  }

  static func metadata(of location: StoreLocation, _ options: StoreOptions) throws -> [String: Any]
  {
    let content = try Content.find(location)
    return content.lock.withLock { content.metadata }
  }

  static func setMetadata(
    _ metadata: [String: Any], of location: StoreLocation, _ options: StoreOptions
  ) throws {
    let content = try Content.find(location)
    content.lock.withLock {
      content.metadata = StoreMetadata.completed(
        metadata, from: content.metadata, type: storeType)
    }
  }

  static func destroy(_ location: StoreLocation, _ options: StoreOptions) throws {
    guard let name = location.memoryName else { return }
    Content.lock.withLock { Content.named[name] = nil }
  }

  /// The error of closing the store.
  var closingError: (any Error)?

  func close() throws {
    if let closingError { throw closingError }
  }

  var metadata: [String: Any] {
    content.lock.withLock { stagedMetadata ?? content.metadata }
  }

  func stageMetadata(_ metadata: [String: Any]) {
    content.lock.withLock {
      if stagedMetadata == nil { baseMetadata = content.metadata }
      stagedMetadata = StoreMetadata.completed(
        metadata, from: self.metadata, type: Self.storeType)
    }
  }

  func stagedMetadata(over current: [String: Any]) -> [String: Any]? {
    content.lock.withLock {
      stagedMetadata.map { StoreMetadata.merged($0, base: baseMetadata, current: current) }
    }
  }

  func saveMetadata() throws {
    content.lock.withLock {
      guard let staged = stagedMetadata(over: content.metadata) else { return }
      content.metadata = staged
      stagedMetadata = nil
      origin.identifier = staged[NSStoreUUIDKey] as? String ?? origin.identifier
    }
  }

  // MARK: Reading

  var leavesRestToObjects: Bool { true }

  func contains(_ layout: EntityLayout) -> Bool {
    layout.family.contains { names.contains($0.name) }
  }

  /// Returns the keys and rows of a query without a predicate or an order, sorted by key.
  private func rows(_ query: RowQuery) throws -> [(key: Int64, row: Row)] {
    guard query.predicate == nil, query.sorts.isEmpty else {
      throw StatementLimit.notPushedDown("predicates and orders")
    }
    let entities = Set(query.layouts.map(\.name))
    let found = content.lock.withLock {
      content.rows.filter { entities.contains($0.value.entity) }.sorted { $0.key < $1.key }
    }
    let rest = found.dropFirst(query.offset)
    return (query.limit > 0 ? rest.prefix(query.limit) : rest).map { ($0.key, $0.value) }
  }

  private func layout(_ row: Row) throws -> EntityLayout {
    if let layout = model.layout(named: row.entity) { return layout }
    throw CoreDataError.badRequest("the model has no entity \(row.entity)")
  }

  private func batch(_ key: Int64, _ row: Row) throws -> RowBatch {
    let layout = try layout(row)
    let values = layout.slots.map { slot -> StoredValue in
      guard case .reference(let id)? = row.values[slot.name] else {
        return row.values[slot.name] ?? .null
      }
      // Another engine may have written the row, with another model of the same entities.
      let own = model.layout(named: id.layout.name) ?? id.layout
      return .reference(NSManagedObjectID(layout: own, key: id.key, origin: origin))
    }
    return shapes[layout.index].batch(key: key, version: row.version, values)
  }

  func fetch(_ plan: RowQuery, batchCapacity: Int, _ body: (RowBatch) throws -> Void) throws {
    for (key, row) in try rows(plan) {
      try plan.cancellation?.check()
      try body(batch(key, row))
    }
  }

  func fetchKeys(
    _ plan: RowQuery, values expressions: [BoundExpression], _ body: (RowCursor) throws -> Void
  ) throws {
    guard expressions.isEmpty else { throw StatementLimit.notPushedDown("values") }
    for (key, row) in try rows(plan) {
      try body(
        RowCursor(
          layout: layout(row), key: key, origin: origin, version: row.version,
          values: InMemoryRowValues([])))
    }
  }

  func count(_ plan: RowQuery) throws -> Int { try rows(plan).count }

  func dictionaries(_ plan: DictionaryQuery) throws -> [[String: Any]] {
    throw StatementLimit.notPushedDown("dictionaries")
  }

  func explain(_ read: ReadOperation) throws -> FetchExplanation {
    throw CoreDataError.make(
      NSPersistentStoreUnsupportedRequestTypeError, "a store of key values has no statements")
  }

  func rows(_ keys: [Int64], of layout: EntityLayout, _ body: (RowBatch) throws -> Void) throws {
    for key in keys {
      if let row = content.lock.withLock({ content.rows[key] }) { try body(batch(key, row)) }
    }
  }

  func members(
    of slot: Int, layout: EntityLayout, owners: [Int64],
    _ body: (_ owner: Int64, _ member: Int64, _ memberLayout: EntityLayout) throws -> Void
  ) throws {
    let name = layout.slots[slot].name
    let single = Self.inverse(of: slot, in: layout).flatMap { $0.kind == .toOne ? $0.name : nil }
    for owner in owners {
      let members = content.lock.withLock { () -> [(Int64, Row)] in
        let list = content.lists[List(owner: owner, relationship: name)] ?? []
        var keys = list
        if let single {
          let children = Set(content.rows.filter { $0.value.leads(single, to: owner) }.keys)
          keys = list.filter(children.contains) + children.subtracting(list).sorted()
        }
        return keys.compactMap { key in content.rows[key].map { (key, $0) } }
      }
      for (key, row) in members { try body(owner, key, self.layout(row)) }
    }
  }

  private static func inverse(of slot: Int, in layout: EntityLayout) -> PropertySlot? {
    guard let relationship = layout.slots[slot].relationship else { return nil }
    return relationship.inverse.map { relationship.destination.slots[$0] }
  }

  // MARK: Saving

  func allocateKeys(_ requests: [KeyRequest]) throws -> [Range<Int64>] {
    content.lock.withLock {
      requests.map { request in
        let first = content.lastKey + 1
        content.lastKey += Int64(request.count)
        return first..<content.lastKey + 1
      }
    }
  }

  func save(_ changes: inout ChangeSet, note: SaveNote) throws -> SaveOutcome {
    if isReadOnly { throw CoreDataError.readOnly("the store", at: nil) }
    return try content.lock.withLock {
      let conflicts = conflicts(changes)
      if !conflicts.isEmpty {
        return .conflicts(conflicts, isForeign: content.savers != [ObjectIdentifier(self)])
      }
      content.savers.insert(ObjectIdentifier(self))
      changes.assignKeys(try allocateKeys(changes.keyRequests), origin)
      changes.setTimes(Date())
      for (index, row) in changes.inserted.enumerated() {
        write(row.whole(), version: changes.inserted.version(index))
      }
      for row in changes.updated { write(row, version: row.version &+ 1) }
      for row in changes.deleted { remove(row.key) }
      for link in changes.links { write(link) }
      return .saved(
        insertedVersions: changes.inserted.indices.map(changes.inserted.version),
        updatedVersions: changes.updated.map { $0.version &+ 1 })
    }
  }

  private func conflicts(_ changes: ChangeSet) -> [RowConflict] {
    var found: [RowConflict] = []
    /// - Parameter versions: The versions that the row may have, or nil if any version of an existing row is allowed.
    ///   The version of a missing row is 0.
    func check(_ layout: EntityLayout, _ key: Int64, _ version: Int32, mayHave versions: [Int32]?) {
      let stored = content.rows[key]?.version ?? 0
      if versions?.contains(stored) ?? (stored != 0) { return }
      found.append(RowConflict(layout: layout, key: key, expectedVersion: version))
    }
    for row in changes.updated {
      check(row.layout, row.key, row.version, mayHave: [row.isRestored ? 0 : row.version])
    }
    for row in changes.deleted {
      check(row.layout, row.key, row.version, mayHave: [0, row.version])
    }
    for row in changes.checked { check(row.layout, row.key, row.version, mayHave: [row.version]) }
    for row in changes.linked { check(row.layout, row.key, row.version, mayHave: nil) }
    return found
  }

  private func write(_ row: ChangeSet.Row, version: Int32) {
    var new =
      content.rows[row.key] ?? Row(entity: row.layout.name, version: version, values: [:])
    new.version = version
    for (slot, value) in row.values { new.values[row.layout.slots[slot].name] = value }
    content.rows[row.key] = new
  }

  private func remove(_ key: Int64) {
    content.rows[key] = nil
    for list in content.lists.keys {
      content.lists[list] = list.owner == key ? nil : content.lists[list]?.filter { $0 != key }
    }
  }

  private func write(_ link: ChangeSet.Link) {
    let name = link.layout.slots[link.slot].name
    let inverse = Self.inverse(of: link.slot, in: link.layout)
    func change(_ owner: Int64, _ name: String, _ body: (inout [Int64]) -> Void) {
      body(&content.lists[List(owner: owner, relationship: name), default: []])
    }
    if inverse?.kind != .toOne {
      change(link.key, name) { members in
        members.removeAll(where: link.removed.contains)
        members += link.added.filter { !members.contains($0) }
      }
      if let inverse = inverse?.name {
        for member in link.added {
          change(member, inverse) { if !$0.contains(link.key) { $0.append(link.key) } }
        }
        for member in link.removed { change(member, inverse) { $0.removeAll { $0 == link.key } } }
      }
    }
    guard let order = link.order else { return }
    change(link.key, name) { members in
      members = order + members.filter { !order.contains($0) && inverse?.kind != .toOne }
    }
  }
}

extension KeyValueEngine.Row {
  fileprivate func leads(_ relationship: String, to key: Int64) -> Bool {
    if case .reference(let id)? = values[relationship] { id.key == key } else { false }
  }
}
