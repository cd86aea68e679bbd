/// Keys in the order in which they were added, and where each lies.
///
/// Keys that come in ascending order, as rows are read and written, are found where they are; others
/// through an order that is made when somebody asks.
struct KeyPositions {
  private(set) var keys: [Int64] = []
  private var isAscending = true
  private var order: [UInt32] = []

  var count: Int { keys.count }

  mutating func append(_ key: Int64) {
    if let last = keys.last, key < last { isAscending = false }
    keys.append(key)
  }

  /// The position of the key that is the n-th by size; of equal ones the first added comes first.
  mutating func position(ofRank rank: Int) -> Int {
    if isAscending { return rank }
    sort()
    return Int(order[rank])
  }

  /// The positions of a key, in the order in which they were added.
  mutating func positions(of key: Int64) -> [Int] {
    if !isAscending { sort() }
    var (low, high) = (0, keys.count)
    while low < high {
      let middle = (low + high) / 2
      if keys[position(ofRank: middle)] < key { low = middle + 1 } else { high = middle }
    }
    var result: [Int] = []
    while low < keys.count {
      let position = position(ofRank: low)
      guard keys[position] == key else { break }
      result.append(position)
      low += 1
    }
    return result
  }

  private mutating func sort() {
    if order.count == keys.count { return }
    let keys = keys
    order = (0..<UInt32(keys.count)).sorted { one, other in
      let (a, b) = (keys[Int(one)], keys[Int(other)])
      return a == b ? one < other : a < b
    }
  }
}
