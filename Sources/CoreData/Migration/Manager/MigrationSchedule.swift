/// How much of a migration is done: the objects of each mapping, in each of the three passes.
struct MigrationSchedule {
  /// How much longer than validating them it takes to make objects and to set relationships.
  private static let weights: [Double] = [5, 4, 1]

  private var counts: [Int] = []

  /// Notes how many objects each mapping has, about.
  mutating func plan(_ counts: [Int]) { self.counts = counts.map { max(1, $0) } }

  /// The fraction that is done, from 0 to 1.
  ///
  /// - Parameters:
  ///   - pass: 0, 1 or 2.
  ///   - mapping: the mapping's position.
  ///   - done: how many of its objects are done in this pass.
  func fraction(pass: Int, mapping: Int, done: Int) -> Double {
    let total = Double(counts.reduce(0, +))
    guard total > 0 else { return 0 }
    let before = Self.weights[..<pass].reduce(0, +)
    let inPass = Double(counts[..<mapping].reduce(0, +) + min(done, counts[mapping])) / total
    return (before + Self.weights[pass] * inPass) / Self.weights.reduce(0, +)
  }
}
