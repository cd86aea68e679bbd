/// A map from keys to addresses, for keys that often follow each other. Eight neighboring keys share
/// a page; the pages are in an open-addressed hash table.
///
/// Successive accesses to keys of the same page, as for rows fetched in key order, search the hash table only once.
struct ObjectPages {
  /// The number of addresses, then eight addresses. The address of a key without an object is 0.
  private typealias Page = UnsafeMutablePointer<UInt>

  /// A slot of the hash table.
  private struct Slot {
    /// The keys of the page without their last three bits.
    var number: Int64
    /// nil for a free slot.
    var page: Page?
  }

  private var slots: UnsafeMutablePointer<Slot>
  /// One less than the number of slots, which is a power of two.
  private var mask = 15
  private var pageCount = 0
  /// The last lookup: its page number, and the page if there is one. The next key is usually on the
  /// same page.
  private var latest: Slot
  /// An upper bound of all keys that were ever added.
  private(set) var highestKey = Int64.min
  /// An odd number, random in each process. A copy of the static property, because each access to
  /// that property costs a call, and removing a page needs the multiplier several times.
  private let multiplier = Self.multiplier

  init() {
    slots = Self.freeSlots(16)
    // This is a valid lookup: an empty table has no page 0.
    latest = Slot(number: 0, page: nil)
  }

  /// Frees the memory.
  func free() {
    for index in 0...mask { slots[index].page?.deallocate() }
    slots.deallocate()
  }

  var isEmpty: Bool { pageCount == 0 }

  var addresses: [UInt] {
    (0...mask).flatMap { index -> [UInt] in
      guard let page = slots[index].page else { return [] }
      return (1...8).map { page[$0] }.filter { $0 != 0 }
    }
  }

  /// The address of a key, or 0.
  @inline(__always)
  subscript(key: Int64) -> UInt {
    mutating get {
      guard find(key >> 3), let page = latest.page else { return 0 }
      return page[Self.position(key)]
    }
  }

  /// Returns a pointer to a key's address, adding a page if needed. Valid until the next change.
  @inline(__always)
  mutating func cell(for key: Int64) -> UnsafeMutablePointer<UInt> {
    (find(key >> 3) ? latest.page : nil).map { $0 + Self.position(key) }
      ?? addPage(key >> 3) + Self.position(key)
  }

  /// Stores an address at the pointer that `cell(for:)` returned.
  @inline(__always)
  func put(_ address: UInt, at cell: UnsafeMutablePointer<UInt>, for key: Int64) {
    if cell.pointee == 0 { (cell - Self.position(key)).pointee += 1 }
    cell.pointee = address
  }

  /// Removes a key's address if it is the given one, and returns whether it was.
  @inline(__always)
  @discardableResult
  mutating func remove(_ address: UInt, for key: Int64) -> Bool {
    guard find(key >> 3), let page = latest.page, page[Self.position(key)] == address else {
      return false
    }
    page[Self.position(key)] = 0
    page[0] -= 1
    if page[0] == 0 { removePage(key >> 3) }
    return true
  }

  @inline(__always)
  private static func position(_ key: Int64) -> Int { Int(key & 7) + 1 }

  // MARK: Pages

  /// Makes a page the latest one, and returns whether it exists.
  @inline(__always)
  private mutating func find(_ number: Int64) -> Bool {
    if latest.number != number {
      latest = Slot(number: number, page: slots[index(number)].page)
    }
    return latest.page != nil
  }

  private mutating func addPage(_ number: Int64) -> Page {
    highestKey = max(highestKey, number << 3 | 7)
    // Slots are small compared to pages, and long runs of occupied slots make lookups slow.
    if pageCount * 2 > mask { grow() }
    let page = Page.allocate(capacity: 9)
    page.initialize(repeating: 0, count: 9)
    latest = Slot(number: number, page: page)
    slots[index(number)] = latest
    pageCount += 1
    return page
  }

  private mutating func removePage(_ number: Int64) {
    var hole = index(number)
    slots[hole].page?.deallocate()
    // The removed page is the latest one: the caller has just found it.
    latest.page = nil
    pageCount -= 1
    // Moves later slots of the run into the hole, because a lookup ends at a free slot.
    var next = (hole + 1) & mask
    while slots[next].page != nil {
      if (next &- home(slots[next].number)) & mask >= (next &- hole) & mask {
        slots[hole] = slots[next]
        hole = next
      }
      next = (next + 1) & mask
    }
    slots[hole].page = nil
  }

  private mutating func grow() {
    // Only slots move. Pages stay at their addresses, so `latest` and pointers to cells remain
    // valid.
    let (old, oldCount) = (slots, mask + 1)
    mask = oldCount * 2 - 1
    slots = Self.freeSlots(oldCount * 2)
    for index in 0..<oldCount where old[index].page != nil {
      slots[self.index(old[index].number)] = old[index]
    }
    old.deallocate()
  }

  // MARK: Slots

  private static func freeSlots(_ count: Int) -> UnsafeMutablePointer<Slot> {
    let slots = UnsafeMutablePointer<Slot>.allocate(capacity: count)
    slots.initialize(repeating: Slot(number: 0, page: nil), count: count)
    return slots
  }

  /// Returns the preferred slot of a page. Sixteen pages that follow each other have neighboring slots;
  /// where each group of sixteen starts depends on the process's random multiplier.
  @inline(__always)
  private func home(_ number: Int64) -> Int {
    let number = UInt64(bitPattern: number)
    let mixed = (number >> 4) &* multiplier
    // The low bits of a product depend only on the low bits of its factors; the high bits on all.
    return Int(truncatingIfNeeded: (mixed >> 28) & ~15 | number & 15) & mask
  }

  private static let multiplier = UInt64.random(in: .min ... .max) | 1

  /// Returns the slot of a page, or the free slot for it.
  private func index(_ number: Int64) -> Int {
    var index = home(number)
    while slots[index].page != nil, slots[index].number != number { index = (index + 1) & mask }
    return index
  }

  /// Returns a description of an inconsistency, or nil. Changes nothing, not even the latest page.
  func checkInvariants() -> String? {
    let occupied = (0...mask).filter { slots[$0].page != nil }
    if occupied.count != pageCount { return "\(occupied.count) pages instead of \(pageCount)" }
    if mask & (mask + 1) != 0 || pageCount * 2 > mask + 1 {
      return "\(mask + 1) is a wrong number of slots for \(pageCount) pages"
    }
    for slot in occupied {
      guard let page = slots[slot].page else { continue }
      let number = slots[slot].number
      let count = (1...8).count { page[$0] != 0 }
      if count == 0 { return "page \(number) is empty" }
      if page[0] != count { return "page \(number) counts \(page[0]) addresses of \(count)" }
      if index(number) != slot { return "page \(number) cannot be found" }
      if number << 3 | 7 > highestKey { return "page \(number) is above the highest key" }
    }
    if slots[index(latest.number)].page != latest.page { return "the latest page is outdated" }
    let addresses = addresses
    return Set(addresses).count == addresses.count ? nil : "an address has two keys"
  }
}
