import Synchronization

/// The objects of one entity's table in one store by their primary keys: a hash table without chains.
///
/// It holds addresses; weak references would cost another allocation an object. What is given out is
/// retained first, which fails for an object that is ending: its address stays valid until it has
/// taken itself out. That happens on any thread, everything else on the context's queue; hence the
/// lock. An object holds its table, which may thereby outlive the context.
final class ObjectTable: @unchecked Sendable {
  /// The index of the hierarchy's uppermost entity.
  let root: Int
  let origin: StoreOrigin
  /// What belongs to all tables of the context.
  let registry: ObjectRegistry
  private let lock = Mutex(())
  private var count = 0

  private struct Place {
    var key: Int64
    /// 0 where the place is free.
    var address: UInt
  }

  private var places: UnsafeMutablePointer<Place>
  /// One less than the number of places, which is a power of two.
  private var mask: Int

  init(root: Int, origin: StoreOrigin, registry: ObjectRegistry) {
    self.root = root
    self.origin = origin
    self.registry = registry
    mask = 15
    places = Self.free(16)
  }

  deinit { places.deallocate() }

  private static func free(_ count: Int) -> UnsafeMutablePointer<Place> {
    let places = UnsafeMutablePointer<Place>.allocate(capacity: count)
    places.initialize(repeating: Place(key: 0, address: 0), count: count)
    return places
  }

  /// Runs `body` alone. What it gives belongs to the context's queue, as what is in the table does.
  @inline(__always)
  private func locked<Result>(_ body: () -> Result) -> Result {
    lock.withLock { _ in Unchecked(value: body()) }.value
  }

  private struct Unchecked<Value>: @unchecked Sendable { let value: Value }

  // MARK: Finding

  /// The object of a key; nil also for one that is ending.
  subscript(key: Int64) -> NSManagedObject? {
    locked { Self.object(at: places[place(key)].address) }
  }

  /// The objects of keys; nil where the table is empty.
  func objects(_ keys: UnsafeBufferPointer<Int64>) -> [NSManagedObject?]? {
    locked { count == 0 ? nil : keys.map { Self.object(at: places[place($0)].address) } }
  }

  /// All objects but those that are ending.
  var objects: [NSManagedObject] {
    locked { (0...mask).compactMap { Self.object(at: places[$0].address) } }
  }

  // MARK: Changing

  /// Adds an object, and gives the one that stood for the key before.
  func set(_ object: NSManagedObject, for key: Int64) -> NSManagedObject? {
    locked {
      let other = Self.object(at: places[place(key)].address)
      put(object, for: key)
      return other
    }
  }

  /// Adds new objects; one for whose key another stands is replaced in the list by that one, and
  /// belongs to no context.
  func insertNew(_ objects: inout [NSManagedObject], from start: Int) {
    var superfluous: [NSManagedObject] = []
    locked {
      reserve(objects.count - start)
      for index in start..<objects.count {
        let object = objects[index]
        if object.table != nil { continue }
        if let known = Self.object(at: places[place(object.key)].address) {
          objects[index] = known
          superfluous.append(object)
        } else {
          object.table = self
          put(object, for: object.key)
        }
      }
    }
    for object in superfluous { object.unsafeContext = nil }
  }

  /// Takes an object out, if it is the one that stands for the key.
  func remove(_ object: NSManagedObject, for key: Int64) {
    let address = Self.address(of: object)
    locked { remove(address, key) }
  }

  private func put(_ object: NSManagedObject, for key: Int64) {
    let place = place(key)
    if places[place].address == 0 { count += 1 }
    places[place] = Place(key: key, address: Self.address(of: object))
    if count * 4 > mask * 3 { grow(to: (mask + 1) * 2) }
  }

  private func remove(_ address: UInt, _ key: Int64) {
    var hole = place(key)
    guard places[hole].address == address else { return }
    count -= 1
    // What was put behind an occupied place moves up, so that it is found without it.
    var next = (hole + 1) & mask
    while places[next].address != 0 {
      if (next &- home(places[next].key)) & mask >= (next &- hole) & mask {
        places[hole] = places[next]
        hole = next
      }
      next = (next + 1) & mask
    }
    places[hole].address = 0
  }

  // MARK: Places

  /// Keys that follow each other lie beside each other, sixteen at a time, so that what is fetched in
  /// their order is found in it; the sixteens lie anywhere, in each process elsewhere.
  @inline(__always)
  private func home(_ key: Int64) -> Int {
    let key = UInt64(bitPattern: key)
    let mixed = (key >> 4) &* Self.multiplier
    return Int(truncatingIfNeeded: (mixed >> 28) & ~15 | key & 15) & mask
  }

  private static let multiplier = UInt64.random(in: .min ... .max) | 1

  /// The place of a key, or the free one where it belongs.
  @inline(__always)
  private func place(_ key: Int64) -> Int {
    var place = home(key)
    while places[place].address != 0, places[place].key != key { place = (place + 1) & mask }
    return place
  }

  /// Makes room for so many more.
  private func reserve(_ more: Int) {
    var wanted = mask + 1
    while (count + more) * 4 > (wanted - 1) * 3 { wanted *= 2 }
    if wanted > mask + 1 { grow(to: wanted) }
  }

  private func grow(to newCount: Int) {
    let (old, oldCount) = (places, mask + 1)
    mask = newCount - 1
    places = Self.free(newCount)
    for index in 0..<oldCount where old[index].address != 0 {
      places[place(old[index].key)] = old[index]
    }
    old.deallocate()
  }

  // MARK: Addresses

  @inline(__always)
  private static func address(of object: NSManagedObject) -> UInt {
    UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())
  }

  @inline(__always)
  private static func object(at address: UInt) -> NSManagedObject? {
    guard let pointer = UnsafeMutableRawPointer(bitPattern: address), let held = tryRetain(pointer)
    else { return nil }
    return Unmanaged<NSManagedObject>.fromOpaque(held).takeRetainedValue()
  }
}

/// Retains an object unless its last reference is gone: what the runtime itself reads weak
/// references with.
@_silgen_name("swift_tryRetain")
private func tryRetain(_ object: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer?
