/// Where rows are, by their keys: the numbers of the leaves that hold them, in a hash table of eight
/// bytes a slot. A slot has a mark made of the key, not the key itself: whoever asks looks into the leaf.
struct RowIndex {
  /// The mark above, one more than the leaf's number below; 0 for an empty slot.
  private var slots: [UInt64] = []
  private(set) var count = 0

  init() {}

  init(minimumCapacity: Int) { slots = Array(repeating: 0, count: Self.size(for: minimumCapacity)) }

  /// Four fifths full at most.
  private static func size(for count: Int) -> Int { count + count / 4 + 4 }

  /// The upper bits choose the slot, so that what is near in the table is near in the order of marks.
  private static func mark(of key: Int64) -> UInt64 {
    var mixed = UInt64(bitPattern: key)
    mixed = (mixed ^ (mixed >> 32)) &* 0x9E37_79B9_7F4A_7C15
    return (mixed ^ (mixed >> 29)) >> 32
  }

  private func home(_ mark: UInt64) -> Int { Int((mark &* UInt64(slots.count)) >> 32) }

  /// The first leaf number for a key that is the right one, as `isRight` finds.
  func leaf(of key: Int64, where isRight: (Int) -> Bool) -> Int? {
    if slots.isEmpty { return nil }
    return slot(of: key, where: isRight).map { Int(slots[$0] & 0xffff_ffff) - 1 }
  }

  private func slot(of key: Int64, where isRight: (Int) -> Bool) -> Int? {
    let mark = Self.mark(of: key)
    var slot = home(mark)
    while slots[slot] != 0 {
      if slots[slot] >> 32 == mark, isRight(Int(slots[slot] & 0xffff_ffff) - 1) { return slot }
      slot += 1
      if slot == slots.count { slot = 0 }
    }
    return nil
  }

  mutating func insert(_ key: Int64, leaf: Int) {
    if Self.size(for: count + 1) > slots.count { grow() }
    put(Self.mark(of: key) << 32 | UInt64(leaf + 1))
    count += 1
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
    slots = Array(repeating: 0, count: Self.size(for: max(count * 2, 8)))
    for value in old where value != 0 { put(value) }
  }

  /// A row is in another leaf than before.
  mutating func move(_ key: Int64, from old: Int, to new: Int) {
    guard let slot = slot(of: key, where: { $0 == old }) else { return }
    slots[slot] = slots[slot] & ~0xffff_ffff | UInt64(new + 1)
  }

  mutating func remove(_ key: Int64, leaf: Int) {
    guard var hole = slot(of: key, where: { $0 == leaf }) else { return }
    count -= 1
    // Whatever follows without a gap moves up where the hole is on its way.
    var next = hole
    while true {
      next += 1
      if next == slots.count { next = 0 }
      if slots[next] == 0 { break }
      let home = home(slots[next] >> 32)
      let isReachable =
        hole <= next ? home <= hole || home > next : home <= hole && home > next
      if isReachable {
        slots[hole] = slots[next]
        hole = next
      }
    }
    slots[hole] = 0
  }
}
