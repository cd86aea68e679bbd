/// Numbers the kinds of rows: combinations of entity, store and section. There are few of them in live results, so
/// a row stores the number of its kind, four bytes, instead of two references and a section.
struct RowKinds {
  struct Kind: Hashable {
    let layout: EntityLayout
    let origin: StoreOrigin
    let section: Int

    static func == (one: Kind, other: Kind) -> Bool {
      one.section == other.section && one.layout === other.layout && one.origin === other.origin
    }

    func hash(into hasher: inout Hasher) {
      hasher.combine(ObjectIdentifier(layout))
      hasher.combine(ObjectIdentifier(origin))
      hasher.combine(section)
    }
  }

  private var numbers: [Kind: Int] = [:]
  private var kinds: [Kind] = []
  /// The store of all kinds so far; nil if there are several stores, or no kinds yet.
  private(set) var onlyOrigin: StoreOrigin?
  /// The last kind that was looked up, because adjacent rows usually have the same kind.
  private var last = 0

  subscript(number: UInt32) -> Kind { kinds[Int(number)] }

  mutating func number(_ layout: EntityLayout, _ origin: StoreOrigin, section: Int) -> UInt32 {
    if last < kinds.count {
      let kind = kinds[last]
      if kind.section == section, kind.layout === layout, kind.origin === origin {
        return UInt32(last)
      }
    }
    let kind = Kind(layout: layout, origin: origin, section: section)
    last = numbers[kind] ?? kinds.count
    if last == kinds.count {
      numbers[kind] = last
      // Once nil, it stays nil, because kinds are never removed.
      onlyOrigin = kinds.isEmpty || onlyOrigin === origin ? origin : nil
      kinds.append(kind)
    }
    return UInt32(last)
  }

  /// Returns a description of the first defect in the kinds or their numbers, or nil.
  func checkInvariants() -> String? {
    if numbers.count != kinds.count || last > max(0, kinds.count - 1) {
      return "\(kinds.count) kinds have \(numbers.count) numbers, and number \(last) was the last"
    }
    for (number, kind) in kinds.enumerated() where numbers[kind] != number {
      return "kind \(number) is not found"
    }
    let first = kinds.first?.origin
    let isOne = kinds.allSatisfy { $0.origin === first }
    return onlyOrigin === (isOne ? first : nil) ? nil : "the rows' only store is another one"
  }
}
