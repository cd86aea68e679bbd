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
  /// How many places are not free: those of objects, and those that one has left.
  private var usedCount = 0

  private struct Place {
    var key: Int64
    var address: UInt

    var isFree: Bool { address == 0 }
    /// Whether an object has left it; what was put behind it is still to be found.
    var isLeft: Bool { address == 1 }

    static var free: Place { Place(key: 0, address: 0) }
    static var left: Place { Place(key: 0, address: 1) }
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
    places.initialize(repeating: .free, count: count)
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
    locked { object(key) }
  }

  /// The objects of keys; nil where the table is empty.
  func objects(_ keys: UnsafeBufferPointer<Int64>) -> [NSManagedObject?]? {
    locked { count == 0 ? nil : keys.map { object($0) } }
  }

  /// All objects but those that are ending.
  var objects: [NSManagedObject] {
    locked {
      (0...mask).compactMap { places[$0].isLeft ? nil : Self.object(at: places[$0].address) }
    }
  }

  private func object(_ key: Int64) -> NSManagedObject? {
    place(key).flatMap { Self.object(at: places[$0].address) }
  }

  // MARK: Changing

  /// Adds an object, and gives the one that stood for the key before.
  func set(_ object: NSManagedObject, for key: Int64) -> NSManagedObject? {
    locked { put(object, for: key) }
  }

  /// Adds objects by their keys, and gives others that stood for them before.
  func set(_ objects: ArraySlice<NSManagedObject>) -> [NSManagedObject] {
    locked {
      reserve(objects.count)
      var others: [NSManagedObject] = []
      for object in objects {
        if let other = put(object, for: object.key), other !== object { others.append(other) }
      }
      return others
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
        if let known = self.object(object.key) {
          objects[index] = known
          superfluous.append(object)
        } else {
          object.table = self
          _ = put(object, for: object.key)
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

  /// Takes objects out, as `remove(_:for:)` does, by the keys that they have.
  func remove(_ objects: ArraySlice<NSManagedObject>) {
    locked { for object in objects { remove(Self.address(of: object), object.key) } }
  }

  /// - Returns: the object that stood for the key before.
  private func put(_ object: NSManagedObject, for key: Int64) -> NSManagedObject? {
    var place = home(key)
    var left: Int?
    while !places[place].isFree {
      if places[place].isLeft {
        left = left ?? place
      } else if places[place].key == key {
        let other = Self.object(at: places[place].address)
        places[place].address = Self.address(of: object)
        return other
      }
      place = (place + 1) & mask
    }
    count += 1
    if left == nil { usedCount += 1 }
    places[left ?? place] = Place(key: key, address: Self.address(of: object))
    if isCrowded(usedCount, mask + 1) { reserve(0) }
    return nil
  }

  private func remove(_ address: UInt, _ key: Int64) {
    guard var hole = place(key), places[hole].address == address else { return }
    count -= 1
    places[hole] = .left
    if !places[(hole + 1) & mask].isFree { return }
    // Nothing is behind it that would have to be found.
    while places[hole].isLeft {
      places[hole] = .free
      usedCount -= 1
      hole = (hole &- 1) & mask
    }
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

  /// The place of a key's object; nil where there is none.
  @inline(__always)
  private func place(_ key: Int64) -> Int? {
    var place = home(key)
    while !places[place].isFree {
      if places[place].key == key, !places[place].isLeft { return place }
      place = (place + 1) & mask
    }
    return nil
  }

  /// Whether looking for a key would take long, as there are few free places between the others.
  private func isCrowded(_ used: Int, _ places: Int) -> Bool { used * 5 > places * 3 }

  /// Makes room for so many more.
  private func reserve(_ more: Int) {
    if !isCrowded(usedCount + more, mask + 1) { return }
    // What objects have left becomes free; where that is little, there are soon too few places again.
    var wanted = mask + 1
    while isCrowded((count + more) * 5 / 4, wanted) { wanted *= 2 }
    moveAll(to: wanted)
  }

  private func moveAll(to newCount: Int) {
    let (old, oldCount) = (places, mask + 1)
    mask = newCount - 1
    places = Self.free(newCount)
    usedCount = count
    for index in 0..<oldCount where !old[index].isFree && !old[index].isLeft {
      var place = home(old[index].key)
      while !places[place].isFree { place = (place + 1) & mask }
      places[place] = old[index]
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
