import StoreEngine

/// The properties that an update in the history changed, as a bit mask.
///
/// The order was derived from stores that Apple's frameworks wrote (2,408 masks in nine stores): to-one
/// relationships, the entity columns of those whose destination has subentities, the order columns of those with an
/// ordered inverse, attributes, to-many relationships; in each group by name. The first is the highest bit of the
/// first byte.
struct ChangedColumns: Sendable {
  /// The slot of each bit.
  private let slots: [Int]
  /// The bits of each slot. A to-one relationship may have three.
  private let bits: [[Int]]

  init(_ layout: EntityLayout, _ schema: StoreSchema) {
    func byName(_ slots: [Int]) -> [Int] {
      slots.sorted {
        layout.slots[$0].name.utf8.lexicographicallyPrecedes(layout.slots[$1].name.utf8)
      }
    }
    func stored(_ slots: [Int]) -> [Int] {
      byName(slots.filter { !layout.slots[$0].isTransient })
    }
    let toOne = stored(layout.toOneSlots)
    func having(_ test: (_ entity: String?, _ order: String?) -> Bool) -> [Int] {
      toOne.filter { slot in
        guard case .toOne(_, let entity, let order) = schema.mapping(layout, slot) else {
          return false
        }
        return test(entity, order)
      }
    }
    let attributes = stored(layout.attributeSlots).filter { layout.slots[$0].storage != .object }
    slots =
      toOne + having { entity, _ in entity != nil } + having { _, order in order != nil }
      + attributes + stored(layout.toManySlots)
    var bits = [[Int]](repeating: [], count: layout.slots.count)
    for (bit, slot) in slots.enumerated() { bits[slot].append(bit) }
    self.bits = bits
  }

  private var length: Int { (slots.count + 7) / 8 }

  /// Returns the mask of slots.
  func mask(_ changed: some Sequence<Int>) -> Data {
    var mask = Data(count: length)
    for slot in changed {
      for bit in bits[slot] { mask[bit / 8] |= 0x80 >> UInt8(bit % 8) }
    }
    return mask
  }

  /// Returns the slots of a mask in order; nil if the mask does not fit the properties, for example because it was
  /// written with another model.
  func slots(of mask: Data) -> [Int]? {
    guard mask.count == length else { return nil }
    var found: Set<Int> = []
    for (index, byte) in mask.enumerated() where byte != 0 {
      for bit in 0..<8 where byte & (0x80 >> UInt8(bit)) != 0 {
        let place = index * 8 + bit
        // The last byte may have more bits than there are properties.
        guard place < slots.count else { return nil }
        found.insert(slots[place])
      }
    }
    return found.sorted()
  }
}
