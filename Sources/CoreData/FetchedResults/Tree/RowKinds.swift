/// What rows have in common, as numbers: entity, store and section. There are few in a result, so that a
/// row keeps four bytes instead of two references.
struct RowKinds {
  struct Kind {
    let layout: EntityLayout
    let origin: StoreOrigin
    let section: Int
  }

  private struct Name: Hashable {
    let layout: ObjectIdentifier
    let origin: ObjectIdentifier
    let section: Int
  }

  private var numbers: [Name: Int] = [:]
  private var kinds: [Kind] = []
  /// The store of all rows; nil where they are of several.
  private(set) var onlyOrigin: StoreOrigin?
  /// The last one asked for: rows of one kind mostly follow each other.
  private var last = 0

  subscript(number: UInt32) -> Kind { kinds[Int(number)] }

  mutating func number(_ layout: EntityLayout, _ origin: StoreOrigin, section: Int) -> UInt32 {
    if last < kinds.count {
      let kind = kinds[last]
      if kind.section == section, kind.layout === layout, kind.origin === origin {
        return UInt32(last)
      }
    }
    let name = Name(
      layout: ObjectIdentifier(layout), origin: ObjectIdentifier(origin), section: section)
    last = numbers[name] ?? kinds.count
    if last == kinds.count {
      numbers[name] = last
      onlyOrigin = kinds.isEmpty || onlyOrigin === origin ? origin : nil
      kinds.append(Kind(layout: layout, origin: origin, section: section))
    }
    return UInt32(last)
  }
}
