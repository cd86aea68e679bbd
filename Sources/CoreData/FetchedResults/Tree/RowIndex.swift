import CSwiftRuntime

/// Where rows are, by their keys, in a hash table of eight bytes a slot: the number of the leaf that holds
/// a row, and the index at which it was put there. A slot has a mark of 32 bits, not the key itself. Keys that
/// fit into 32 bits have each a mark of their own, so that of most tables nobody has to look into the leaf
/// to see whose row it is: reading from a leaf that nobody used lately takes longer than all else.
///
/// So the old row of an object is found without the values that ordered it, which the object may no longer have.
struct RowIndex {
  /// From above: 32 bits of the mark, 8 of the index in the leaf, 24 of the leaf's number and one; 0 for an empty slot.
  private var slots: [UInt64] = []
  private(set) var count = 0
  /// How many of the keys do not fit into 32 bits.
  private var largeKeys = 0

  /// The leaf of a row, and the index at which the row was put there; it may have moved within its leaf since.
  struct Hint {
    let leaf: Int
    let index: Int

    fileprivate static let leafBits: UInt64 = 24
    init(leaf: Int, index: Int) {
      self.leaf = leaf
      self.index = index
    }

    fileprivate init(_ slot: UInt64) {
      leaf = Int(slot & 0xff_ffff) - 1
      index = Int(slot >> Self.leafBits & 0xff)
    }

    fileprivate var bits: UInt64 {
      UInt64(truncatingIfNeeded: index & 0xff) << Self.leafBits | UInt64(leaf + 1)
    }
  }

  init() {}

  init(minimumCapacity: Int) { slots = Self.emptySlots(Self.size(for: minimumCapacity)) }

  private static func emptySlots(_ count: Int) -> [UInt64] {
    Array(unsafeUninitializedCapacity: count) { slots, initialized in
      // Each question reads another page.
      LargePages.advise(UnsafeMutableRawBufferPointer(slots))
      slots.initialize(repeating: 0)
      initialized = count
    }
  }

  /// Four fifths full at most.
  private static func size(for count: Int) -> Int { count + count / 4 + 4 }

  /// Different keys that fit into 32 bits have different marks: each step here can be undone.
  ///
  /// The upper bits choose the slot, so that what is near in the table is near in the order of marks.
  private static func mark(of key: Int64) -> UInt64 {
    var mixed = UInt32(truncatingIfNeeded: key)
    mixed ^= UInt32(truncatingIfNeeded: key >> 32) &* 0x85EB_CA6B
    mixed = (mixed ^ (mixed >> 16)) &* 0x7FEB_352D
    mixed = (mixed ^ (mixed >> 15)) &* 0x846C_A68B
    return UInt64(mixed ^ (mixed >> 16))
  }

  private static func isLarge(_ key: Int64) -> Bool { key >> 32 != 0 }

  /// Whether a row that is found for a key can only be that key's.
  func isCertain(_ key: Int64) -> Bool { largeKeys == 0 && !Self.isLarge(key) }

  private func home(_ mark: UInt64) -> Int { Int((mark &* UInt64(slots.count)) >> 32) }

  /// The first result for the hints where a key may be.
  func first<Result>(ofKey key: Int64, _ find: (Hint) -> Result?) -> Result? {
    firstSlot(ofKey: key) { find(Hint(slots[$0])) }
  }

  private func slot(of key: Int64, inLeaf leaf: Int) -> Int? {
    firstSlot(ofKey: key) { Hint(slots[$0]).leaf == leaf ? $0 : nil }
  }

  @inline(__always)
  private func firstSlot<Result>(ofKey key: Int64, _ find: (Int) -> Result?) -> Result? {
    if slots.isEmpty { return nil }
    let mark = Self.mark(of: key)
    var slot = home(mark)
    while slots[slot] != 0 {
      if slots[slot] >> 32 == mark, let found = find(slot) { return found }
      slot += 1
      if slot == slots.count { slot = 0 }
    }
    return nil
  }

  mutating func insert(_ key: Int64, at hint: Hint) {
    if Self.size(for: count + 1) > slots.count { grow() }
    put(Self.mark(of: key) << 32 | hint.bits)
    count += 1
    if Self.isLarge(key) { largeKeys += 1 }
  }

  /// Adds the rows of a leaf, in their order.
  mutating func insert(_ keys: [Int64], inLeaf leaf: Int) {
    if Self.size(for: count + keys.count) > slots.count { grow() }
    slots.withUnsafeBufferPointer { slots in
      // Each slot is elsewhere in memory, and is waited for once for all.
      for key in keys { prefetch(slots.baseAddress! + home(Self.mark(of: key))) }
    }
    for (index, key) in keys.enumerated() { insert(key, at: Hint(leaf: leaf, index: index)) }
  }

  private mutating func put(_ value: UInt64) {
    var slot = home(value >> 32)
    while slots[slot] != 0 {
      slot += 1
      if slot == slots.count { slot = 0 }
    }
    slots[slot] = value
  }

  private mutating func grow() {
    let old = slots
    slots = Self.emptySlots(Self.size(for: max(count * 2, 8)))
    for value in old where value != 0 { put(value) }
  }

  /// A row is in another leaf than before.
  mutating func move(_ key: Int64, from old: Int, to new: Hint) {
    guard let slot = slot(of: key, inLeaf: old) else { return }
    slots[slot] = slots[slot] & ~0xffff_ffff | new.bits
  }

  mutating func remove(_ key: Int64, fromLeaf leaf: Int) {
    guard var hole = slot(of: key, inLeaf: leaf) else { return }
    count -= 1
    if Self.isLarge(key) { largeKeys -= 1 }
    // Whatever follows without a gap moves up where the hole is on its way.
    var next = hole
    while true {
      next += 1
      if next == slots.count { next = 0 }
      if slots[next] == 0 { break }
      let home = home(slots[next] >> 32)
      let isReachable = hole <= next ? home <= hole || home > next : home <= hole && home > next
      if isReachable {
        slots[hole] = slots[next]
        hole = next
      }
    }
    slots[hole] = 0
  }

  /// Returns what is wrong with the table, or nil. Only the tree knows whether it leads to the right rows.
  func checkInvariants() -> String? {
    let occupied = slots.indices.filter { slots[$0] != 0 }
    if occupied.count != count { return "\(occupied.count) slots are occupied instead of \(count)" }
    if largeKeys < 0 || largeKeys > count { return "\(largeKeys) of \(count) keys are large" }
    if count > 0, Self.size(for: count) > slots.count { return "\(slots.count) slots are too few" }
    for slot in occupied {
      if Hint(slots[slot]).leaf < 0 { return "slot \(slot) names no leaf" }
      var step = home(slots[slot] >> 32)
      while step != slot, slots[step] != 0 { step = (step + 1) % slots.count }
      if step != slot { return "slot \(slot) is behind an empty one, and is not found" }
    }
    return nil
  }
}
