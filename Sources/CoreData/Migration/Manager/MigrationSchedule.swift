/// The completed part of a migration: the objects of each mapping in each of the three passes.
struct MigrationSchedule {
  /// The relative durations of creating objects, setting relationships and validating.
  private static let weights: [Double] = [5, 4, 1]

  private var counts: [Int] = []

  /// Sets the approximate number of objects of each mapping.
  mutating func plan(_ counts: [Int]) { self.counts = counts.map { max(1, $0) } }

  /// Returns the completed fraction, from 0 to 1.
  ///
  /// - Parameters:
  ///   - pass: 0, 1 or 2.
  ///   - mapping: The index of the mapping.
  ///   - done: The number of its objects that this pass has processed.
  func fraction(pass: Int, mapping: Int, done: Int) -> Double {
    let total = Double(counts.reduce(0, +))
    guard total > 0 else { return 0 }
    let before = Self.weights[..<pass].reduce(0, +)
    let inPass = Double(counts[..<mapping].reduce(0, +) + min(done, counts[mapping])) / total
    return (before + Self.weights[pass] * inPass) / Self.weights.reduce(0, +)
  }
}
