/// The objects of one entity's table in one store by their primary keys: pages of eight keys that follow
/// each other, and a hash table without chains that finds them.
///
/// It holds addresses; weak references would cost another allocation an object. What is given out is
/// retained first, which fails for an object that is ending: its address stays valid until it has
/// removed itself. That happens on any thread, everything else on the context's queue; hence the
/// lock. The table holds itself while it has objects, and may thereby outlive the context. So its objects need not
/// retain it, which would cost a count of references for each object.
final class ObjectTable: @unchecked Sendable {
  /// The index of the hierarchy's uppermost entity.
  let root: Int
  let origin: StoreOrigin
  /// What belongs to all tables of the context.
  private let registry: ObjectRegistry
  /// The registry's.
  let quiet: UnsafeMutablePointer<Int>
  private let lock = BriefLock()
  @exclusivity(unchecked)
  private var pages = ObjectPages()

  init(root: Int, origin: StoreOrigin, registry: ObjectRegistry) {
    self.root = root
    self.origin = origin
    self.registry = registry
    quiet = registry.quiet
  }

  deinit { pages.free() }

  /// Runs `body`, which changes the table, alone. Who empties it has `hold` released after that.
  private func changing<Result>(_ body: () -> Result) -> (result: Result, isEmptied: Bool) {
    lock.withLock {
      let wasEmpty = pages.isEmpty
      let result = body()
      if wasEmpty, !pages.isEmpty { _ = hold.retain() }
      return (result, !wasEmpty && pages.isEmpty)
    }
  }

  private var hold: Unmanaged<ObjectTable> { .passUnretained(self) }

  // MARK: Finding

  /// The object of a key; nil also for one that is ending.
  subscript(key: Int64) -> NSManagedObject? {
    lock.withLock { Self.object(at: pages[key]) }
  }

  /// The objects of some of a batch's rows; nil where there is none of any.
  func objects(of batch: RowBatch, _ rows: Range<Int>) -> [NSManagedObject?]? {
    lock.withLock {
      // What is fetched in the order of keys mostly lies behind all that was fetched.
      guard
        let first = rows.first(where: {
          batch.key($0) <= pages.highestKey && pages[batch.key($0)] != 0
        })
      else { return nil }
      return rows.map { $0 < first ? nil : Self.object(at: pages[batch.key($0)]) }
    }
  }

  /// All objects but those that are ending.
  var objects: [NSManagedObject] { lock.withLock { pages.addresses.compactMap(Self.object) } }

  // MARK: Changing

  /// Adds an object, and gives the one that stood for the key before.
  func set(_ object: NSManagedObject, for key: Int64) -> NSManagedObject? {
    changing { put(object, for: key) }.result
  }

  /// Adds objects by their keys, and gives others that stood for them before.
  func set(_ objects: ArraySlice<NSManagedObject>) -> [NSManagedObject] {
    changing {
      var others: [NSManagedObject] = []
      for object in objects {
        if let other = put(object, for: object.key), other !== object { others.append(other) }
      }
      return others
    }.result
  }

  /// - Returns: the object that stood for the key before.
  private func put(_ object: NSManagedObject, for key: Int64) -> NSManagedObject? {
    let cell = pages.cell(for: key)
    let other = Self.object(at: cell.pointee)
    if other !== object { displace(cell.pointee) }
    pages.put(Self.address(of: object), at: cell, for: key)
    return other
  }

  /// Sees to it that an object that is to be none of the table's has the table until its end: also one
  /// that is ending already, elsewhere, and will ask to be removed.
  @inline(__always)
  private func displace(_ address: UInt) {
    guard let pointer = UnsafeRawPointer(bitPattern: address) else { return }
    Unmanaged<NSManagedObject>.fromOpaque(pointer)._withUnsafeGuaranteedRef { $0.keepTable() }
  }

  /// Adds new objects; one for whose key another stands is replaced in the list by that one, and
  /// belongs to no context.
  func insertNew(_ objects: inout [NSManagedObject], from start: Int) {
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

  /// Puts a new object where its key belongs; or gives the one that is there already.
  @inline(__always)
  private func putNew(_ object: NSManagedObject) -> NSManagedObject? {
    let cell = pages.cell(for: object.key)
    if let known = Self.object(at: cell.pointee) { return known }
    displace(cell.pointee)
    object.borrow(self)
    pages.put(Self.address(of: object), at: cell, for: object.key)
    return nil
  }

  /// Removes an object, if it is the one that stands for the key.
  func remove(_ object: NSManagedObject, for key: Int64) {
    if changing({ removeLocked(object, for: key) }).isEmptied { hold.release() }
  }

  /// Removes objects, as `remove(_:for:)` does, by the keys that they have.
  func remove(_ objects: ArraySlice<NSManagedObject>) {
    let isEmptied = changing {
      for object in objects { removeLocked(object, for: object.key) }
    }.isEmptied
    if isEmptied { hold.release() }
  }

  private func removeLocked(_ object: NSManagedObject, for key: Int64) {
    if pages[key] == Self.address(of: object) { object.keepTable() }
    pages.remove(Self.address(of: object), for: key)
  }

  /// Removes an object that is ending, on any thread.
  ///
  /// - Returns: whether it was there, and whether it was the last, so that the table is to be released.
  func removeEnding(
    _ object: NSManagedObject, for key: Int64
  ) -> (wasThere: Bool, isEmptied: Bool) {
    let address = Self.address(of: object)
    let (wasThere, isEmptied) = changing { pages.remove(address, for: key) }
    return (wasThere, isEmptied)
  }

  /// Returns what is wrong with the pages or the objects' keys, or nil. It changes nothing.
  func checkInvariants() -> String? {
    // The objects leave the lock with the result: one whose last reference ends here takes it.
    lock.withLock {
      var pages = pages
      let objects = pages.addresses.compactMap(Self.object)
      let lost = objects.first { pages[$0.key] != Self.address(of: $0) }
      let fault =
        pages.checkInvariants() ?? lost.map { "an object is not found by its key \($0.key)" }
      return (fault: fault, objects: objects)
    }.fault
  }

  // MARK: Addresses

  @inline(__always)
  private static func address(of object: NSManagedObject) -> UInt {
    UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())
  }

  @inline(__always)
  private static func object(at address: UInt) -> NSManagedObject? {
    Unmanaged.retainedIfAlive(at: address)?.takeRetainedValue()
  }
}
