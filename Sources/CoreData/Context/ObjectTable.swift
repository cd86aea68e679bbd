/// The objects of one entity hierarchy in one store, by primary key.
///
/// The table holds addresses, because weak references would cost another allocation for each
/// object. It retains an object before it returns it. An object may remove itself on any thread,
/// while everything else happens on the context's queue; hence the lock.
///
/// The table retains itself while it has objects, so it may outlive the context.
final class ObjectTable: @unchecked Sendable {
  /// The index of the root entity of the hierarchy.
  let root: Int
  let origin: StoreOrigin
  /// The registry, which all tables of the context share.
  private let registry: ObjectRegistry
  /// The registry's `quiet`, which an object reads here without retaining the registry.
  let quiet: UnsafeMutablePointer<Int>
  private let lock = BriefLock()
  // Each access holds `lock`, so the runtime need not check for exclusive access.
  @exclusivity(unchecked)
  private var pages = ObjectPages()

  init(root: Int, origin: StoreOrigin, registry: ObjectRegistry) {
    self.root = root
    self.origin = origin
    self.registry = registry
    quiet = registry.quiet
  }

  deinit { pages.free() }

  /// Runs `body`, which changes the table, under the lock. A caller that emptied the table must
  /// release `hold` afterwards.
  private func changing<Result>(_ body: () -> Result) -> (result: Result, isEmptied: Bool) {
    lock.withLock {
      let wasEmpty = pages.isEmpty
      let result = body()
      // One reference for all objects: if each of them retained the table, that would cost a
      // reference count for each object.
      if wasEmpty, !pages.isEmpty { _ = hold.retain() }
      // The caller releases `hold`, because that may deallocate the table with its lock.
      return (result, !wasEmpty && pages.isEmpty)
    }
  }

  private var hold: Unmanaged<ObjectTable> { .passUnretained(self) }

  // MARK: Finding

  /// The object of a key; nil if there is none, or if it is being deallocated.
  subscript(key: Int64) -> NSManagedObject? {
    lock.withLock { Self.object(at: pages[key]) }
  }

  /// Returns the objects of some of a batch's rows, or nil if no row has one.
  func objects(of batch: RowBatch, _ rows: Range<Int>) -> [NSManagedObject?]? {
    lock.withLock {
      // Fetches in key order usually return keys above all keys that were fetched before.
      guard
        let first = rows.first(where: {
          batch.key($0) <= pages.highestKey && pages[batch.key($0)] != 0
        })
      else { return nil }
      return rows.map { $0 < first ? nil : Self.object(at: pages[batch.key($0)]) }
    }
  }

  /// All objects except those that are being deallocated.
  var objects: [NSManagedObject] { lock.withLock { pages.addresses.compactMap(Self.object) } }

  // MARK: Changing

  /// Adds an object, and returns the object that had the key before.
  func set(_ object: NSManagedObject, for key: Int64) -> NSManagedObject? {
    // Adding an object cannot empty the table, so there is no `hold` to release.
    changing { put(object, for: key) }.result
  }

  /// Adds objects by their keys, and returns the other objects that had these keys before.
  func set(_ objects: ArraySlice<NSManagedObject>) -> [NSManagedObject] {
    changing {
      // Returned rather than released here: an object that is deallocated under the lock would wait
      // for it.
      var others: [NSManagedObject] = []
      for object in objects {
        if let other = put(object, for: object.key), other !== object { others.append(other) }
      }
      return others
    }.result
  }

  /// - Returns: The object that had the key before.
  private func put(_ object: NSManagedObject, for key: Int64) -> NSManagedObject? {
    let cell = pages.cell(for: key)
    let other = Self.object(at: cell.pointee)
    if other !== object { displace(cell.pointee) }
    pages.put(Self.address(of: object), at: cell, for: key)
    return other
  }

  /// Makes an object that is replaced in the table retain the table, because even an object that
  /// another thread is deallocating removes itself from the table.
  @inline(__always)
  private func displace(_ address: UInt) {
    guard let pointer = UnsafeRawPointer(bitPattern: address) else { return }
    Unmanaged<NSManagedObject>.fromOpaque(pointer)._withUnsafeGuaranteedRef { $0.retainTable() }
  }

  /// Adds new objects. If the table already has an object with the same key, that object replaces
  /// the new one in the array, and the new one then belongs to no context.
  func insertNew(_ objects: inout [NSManagedObject], from start: Int) {
    // The objects are replaced in the array only after the lock is released, because the replaced
    // ones are then deallocated and acquire the lock.
    var known: [(index: Int, object: NSManagedObject)] = []
    objects.withUnsafeBufferPointer { objects in
      _ = changing {
        for index in start..<objects.count {
          Unmanaged.passUnretained(objects[index])._withUnsafeGuaranteedRef {
            if !$0.hasTable, let other = putNew($0) { known.append((index, other)) }
          }
        }
      }
    }
    for (index, other) in known {
      objects[index].unsafeContext = nil
      objects[index] = other
    }
  }

  /// Adds a new object, or returns the one that has its key already.
  @inline(__always)
  private func putNew(_ object: NSManagedObject) -> NSManagedObject? {
    let cell = pages.cell(for: object.key)
    if let known = Self.object(at: cell.pointee) { return known }
    displace(cell.pointee)
    object.borrow(self)
    pages.put(Self.address(of: object), at: cell, for: object.key)
    return nil
  }

  /// Removes an object if it is the one that has the key.
  func remove(_ object: NSManagedObject, for key: Int64) {
    if changing({ removeLocked(object, for: key) }).isEmptied { hold.release() }
  }

  /// Removes objects by their current keys, like `remove(_:for:)`.
  func remove(_ objects: ArraySlice<NSManagedObject>) {
    let isEmptied = changing {
      for object in objects { removeLocked(object, for: object.key) }
    }.isEmptied
    if isEmptied { hold.release() }
  }

  private func removeLocked(_ object: NSManagedObject, for key: Int64) {
    if pages[key] == Self.address(of: object) { object.retainTable() }
    pages.remove(Self.address(of: object), for: key)
  }

  /// Removes an object that is being deallocated. May be called on any thread.
  ///
  /// - Returns: Whether the table had the object, and whether it was the last one, so that the
  ///   caller must release the table.
  func removeEnding(
    _ object: NSManagedObject, for key: Int64
  ) -> (wasThere: Bool, isEmptied: Bool) {
    let address = Self.address(of: object)
    let (wasThere, isEmptied) = changing { pages.remove(address, for: key) }
    return (wasThere, isEmptied)
  }

  /// Returns a description of an inconsistency in the pages or the objects' keys, or nil.
  func checkInvariants() -> String? {
    // The result carries the objects out of the lock: deallocating one acquires the lock.
    lock.withLock {
      var pages = pages
      let objects = pages.addresses.compactMap(Self.object)
      let lost = objects.first { pages[$0.key] != Self.address(of: $0) }
      let problem =
        pages.checkInvariants() ?? lost.map { "an object is not found by its key \($0.key)" }
      return (problem: problem, objects: objects)
    }.problem
  }

  // MARK: Addresses

  @inline(__always)
  private static func address(of object: NSManagedObject) -> UInt {
    UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())
  }

  @inline(__always)
  private static func object(at address: UInt) -> NSManagedObject? {
    // Fails for an object that is being deallocated. The address is valid until that object
    // has removed itself from the table, which requires the lock.
    Unmanaged.retainedIfAlive(at: address)?.takeRetainedValue()
  }
}
