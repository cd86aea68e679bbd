/// Divides `items` among owners in proportion to their weights. Every item has one owner, and an owner's items are
/// consecutive.
struct Shares: Sendable {
  let items: Int
  private let weightsBefore: [Int]

  init(items: Int, weights: [Int]) {
    self.items = items
    var sums = [0]
    sums.reserveCapacity(weights.count + 1)
    var sum = 0
    for weight in weights {
      sum += weight
      sums.append(sum)
    }
    weightsBefore = sums
  }

  /// The items of one owner; may be empty.
  func items(of owner: Int) -> Range<Int> {
    boundary(before: owner)..<boundary(before: owner + 1)
  }

  private func boundary(before owner: Int) -> Int {
    items * weightsBefore[owner] / weightsBefore[weightsBefore.count - 1]
  }
}
