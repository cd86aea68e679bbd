import CSwiftRuntime

/// Finds rows by their keys: a hash table with eight bytes for each slot. A slot stores the number of the leaf that
/// contains the row, the index at which the row was inserted there, and a mark of 32 bits instead of the key. Different
/// keys that fit into 32 bits have different marks, so for most tables a mark identifies its row. Reading the leaf to
/// compare keys would be slow, because a leaf that was not used recently is in no cache.
///
/// The tree uses this index to find the old row of an object, because the object may no longer have the sort values
/// that determined the row's position.
struct RowIndex {
  /// From the highest bit: 32 bits of the mark, 8 bits of the index in the leaf, and 24 bits of the leaf's number
  /// plus one. An empty slot is 0.
  private var slots: [UInt64] = []
  private(set) var count = 0
  /// The number of keys that do not fit into 32 bits.
  private var largeKeys = 0

  /// The leaf of a row, and the index at which the row was inserted. The row may have moved within the leaf since then.
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
      // Each lookup reads a different page, so large pages make lookups faster.
      LargePages.advise(UnsafeMutableRawBufferPointer(slots))
      slots.initialize(repeating: 0)
      initialized = count
    }
  }

  /// Returns the number of slots, which keeps the load factor at 4/5 or less.
  private static func size(for count: Int) -> Int { count + count / 4 + 4 }

  /// Returns the mark of a key. Keys that fit into 32 bits have different marks, because each step is invertible.
  ///
  /// The upper bits choose the slot, so that the table is roughly in the order of the marks.
  private static func mark(of key: Int64) -> UInt64 {
    var mixed = UInt32(truncatingIfNeeded: key)
    // Changes nothing for a key that fits into 32 bits.
    mixed ^= UInt32(truncatingIfNeeded: key >> 32) &* 0x85EB_CA6B
    // Chris Wellons' "lowbias32" (github.com/skeeto/hash-prospector).
    mixed = (mixed ^ (mixed >> 16)) &* 0x7FEB_352D
    mixed = (mixed ^ (mixed >> 15)) &* 0x846C_A68B
    return UInt64(mixed ^ (mixed >> 16))
  }

  // Temporary keys are negative, so they count as large.
  private static func isLarge(_ key: Int64) -> Bool { key >> 32 != 0 }

  /// Returns whether a row that is found for a key certainly has this key.
  func isCertain(_ key: Int64) -> Bool { largeKeys == 0 && !Self.isLarge(key) }

  // Scales the mark to the number of slots with a multiplication. So the number of slots need not be a power of two,
  // and no slow division is necessary.
  private func home(_ mark: UInt64) -> Int { Int((mark &* UInt64(slots.count)) >> 32) }

  /// Calls `find` with each hint for a key until it returns a result.
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

  /// Inserts the rows of a leaf, in their order.
  mutating func insert(_ keys: [Int64], inLeaf leaf: Int) {
    if Self.size(for: count + keys.count) > slots.count { grow() }
    slots.withUnsafeBufferPointer { slots in
      // The slots are spread over memory, so most accesses miss the cache. Prefetching makes these misses overlap.
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
    // A slot contains its mark, so that growing reads no leaf.
    for value in old where value != 0 { put(value) }
  }

  /// Records that a row moved to another leaf.
  mutating func move(_ key: Int64, from old: Int, to new: Hint) {
    guard let slot = slot(of: key, inLeaf: old) else { return }
    slots[slot] = slots[slot] & ~0xffff_ffff | new.bits
  }

  mutating func remove(_ key: Int64, fromLeaf leaf: Int) {
    guard var hole = slot(of: key, inLeaf: leaf) else { return }
    count -= 1
    if Self.isLarge(key) { largeKeys -= 1 }
    // Examines the following entries up to the next empty slot. Moves an entry into the hole if the hole is between the
    // entry's home slot and its current slot.
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

  /// Returns the first defect in the table, or nil. Only the tree can check that the index finds the right rows.
  func checkInvariants() -> String? {
    let occupied = slots.indices.filter { slots[$0] != 0 }
    if occupied.count != count { return "\(occupied.count) slots are occupied instead of \(count)" }
    if largeKeys < 0 || largeKeys > count { return "\(largeKeys) of \(count) keys are large" }
    if count > 0, Self.size(for: count) > slots.count { return "\(slots.count) slots are too few" }
    for slot in occupied {
      if Hint(slots[slot]).leaf < 0 { return "slot \(slot) refers to no leaf" }
      var step = home(slots[slot] >> 32)
      while step != slot, slots[step] != 0 { step = (step + 1) % slots.count }
      if step != slot { return "slot \(slot) is behind an empty one, and is not found" }
    }
    return nil
  }
}
