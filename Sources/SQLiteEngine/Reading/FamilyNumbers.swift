import StoreEngine

/// The entities of a family, by the number that a row or a reference of the store contains.
///
/// A file may contain any number. With the number of an entity outside of the family, a row would be read with the
/// slots of that entity. So such a row is read as the entity at the top of the family, which the request or the
/// relationship declares. This is the rule of ``StoreSchema/layout(number:declared:)``, with a table that is fast
/// enough for every row.
struct FamilyNumbers {
  /// Entity numbers begin at 1. Higher numbers are those of internal entities.
  private static let maximum = 15_999

  /// The index in the model of the entity at the top of the family.
  let declared: Int
  /// The index in the model of each entity, by its number.
  private let indexes: [UInt16]

  init(_ declared: EntityLayout, _ schema: StoreSchema) {
    self.declared = declared.index
    let known = declared.family.compactMap { member in
      schema.numbers[member.index].map { (number: $0, index: UInt16(member.index)) }
    }.filter { (0...Self.maximum).contains($0.number) }
    var indexes = [UInt16](
      repeating: UInt16(declared.index), count: (known.map(\.number).max() ?? 0) + 1)
    for member in known { indexes[member.number] = member.index }
    self.indexes = indexes
  }

  /// Returns the index in the model of the entity with a number, or of the declared entity for any other number.
  @inline(__always)
  func index(_ number: Int64) -> Int {
    guard number >= 0, number < Int64(indexes.count) else { return declared }
    return Int(indexes[Int(truncatingIfNeeded: number)])
  }
}
