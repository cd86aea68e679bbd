/// The members of an ordered relationship in order.
///
/// They are in blocks of at most 512, so that finding, inserting or removing a member searches one block and the list
/// of blocks, and does not move all other members.
struct MemberOrder {
  private static let blockSize = 512
  private var blocks: [Block] = []
  /// The block number of each member; empty for a single block, which is searched.
  private var blockNumbers: [ObjectIdentifier: Int] = [:]
  private var lastNumber = 0
  private(set) var count = 0

  private struct Block {
    /// Does not change when other blocks are added or removed.
    let number: Int
    var members: [NSManagedObject]
  }

  /// - Parameter members: The members without duplicates.
  init(_ members: [NSManagedObject]) {
    count = members.count
    // Several blocks begin half full, so that the first insertions do not split them.
    let size = members.count <= Self.blockSize ? Self.blockSize : Self.blockSize / 2
    var start = 0
    while start < members.count {
      let end = min(start + size, members.count)
      blocks.append(Block(number: newNumber(), members: Array(members[start..<end])))
      start = end
    }
    if blocks.count > 1 { indexBlocks() }
  }

  var objects: [NSManagedObject] {
    if blocks.count == 1 { return blocks[0].members }
    var objects: [NSManagedObject] = []
    objects.reserveCapacity(count)
    for block in blocks { objects += block.members }
    return objects
  }

  func contains(_ object: NSManagedObject) -> Bool { blockIndex(of: object) != nil }

  /// Returns the index of a member; nil for other objects.
  func index(of object: NSManagedObject) -> Int? {
    guard let place = blockIndex(of: object),
      let inBlock = blocks[place].members.firstIndex(where: { $0 === object })
    else { return nil }
    return blocks[..<place].reduce(inBlock) { $0 + $1.members.count }
  }

  /// The member at an index, which must be less than `count`.
  subscript(index: Int) -> NSManagedObject {
    let place = split(index)
    return blocks[place.block].members[place.inBlock]
  }

  /// Inserts a member at an index. Returns false if it is a member already, which keeps its position.
  mutating func insert(_ object: NSManagedObject, at index: Int) -> Bool {
    if contains(object) { return false }
    if blocks.isEmpty { blocks.append(Block(number: newNumber(), members: [])) }
    let place = index >= count ? endPlace : split(index)
    blocks[place.block].members.insert(object, at: place.inBlock)
    count += 1
    if blocks.count > 1 { blockNumbers[ObjectIdentifier(object)] = blocks[place.block].number }
    if blocks[place.block].members.count > Self.blockSize { halve(place.block) }
    return true
  }

  /// Removes a member. Returns false if the object is not a member.
  mutating func remove(_ object: NSManagedObject) -> Bool {
    guard let place = blockIndex(of: object),
      let inBlock = blocks[place].members.firstIndex(where: { $0 === object })
    else { return false }
    blocks[place].members.remove(at: inBlock)
    count -= 1
    blockNumbers.removeValue(forKey: ObjectIdentifier(object))
    if blocks[place].members.isEmpty {
      blocks.remove(at: place)
      // A single block is searched without numbers.
      if blocks.count <= 1 { blockNumbers = [:] }
    }
    return true
  }

  // MARK: Blocks

  private func blockIndex(of object: NSManagedObject) -> Int? {
    if blocks.count <= 1 {
      return blocks.first?.members.contains(where: { $0 === object }) == true ? 0 : nil
    }
    guard let number = blockNumbers[ObjectIdentifier(object)] else { return nil }
    return blocks.firstIndex { $0.number == number }
  }

  private var endPlace: (block: Int, inBlock: Int) {
    (blocks.count - 1, blocks[blocks.count - 1].members.count)
  }

  private func split(_ index: Int) -> (block: Int, inBlock: Int) {
    var rest = index
    var block = 0
    while block < blocks.count - 1, rest >= blocks[block].members.count {
      rest -= blocks[block].members.count
      block += 1
    }
    return (block, rest)
  }

  private mutating func halve(_ place: Int) {
    let isFirst = blocks.count == 1
    let middle = blocks[place].members.count / 2
    let upper = Array(blocks[place].members[middle...])
    blocks[place].members.removeSubrange(middle...)
    let number = newNumber()
    blocks.insert(Block(number: number, members: upper), at: place + 1)
    if isFirst {
      indexBlocks()
    } else {
      for object in upper { blockNumbers[ObjectIdentifier(object)] = number }
    }
  }

  private mutating func newNumber() -> Int {
    lastNumber += 1
    return lastNumber
  }

  private mutating func indexBlocks() {
    blockNumbers.reserveCapacity(count)
    for block in blocks {
      for object in block.members { blockNumbers[ObjectIdentifier(object)] = block.number }
    }
  }

  /// Returns a description of an inconsistency in the blocks, or nil.
  func checkInvariants() -> String? {
    let members = objects
    if members.count != count { return "there are \(members.count) members instead of \(count)" }
    if Set(members).count != count { return "a member is in the order twice" }
    if blocks.contains(where: { $0.members.isEmpty || $0.members.count > Self.blockSize }) {
      return "a block is empty or too large"
    }
    if Set(blocks.map(\.number)).count != blocks.count { return "two blocks have the same number" }
    if blocks.count <= 1 { return blockNumbers.isEmpty ? nil : "a single block is indexed" }
    let known = blocks.flatMap { block in
      block.members.map { (ObjectIdentifier($0), block.number) }
    }
    return blockNumbers == Dictionary(uniqueKeysWithValues: known)
      ? nil : "the stored block number of a member is wrong"
  }
}
