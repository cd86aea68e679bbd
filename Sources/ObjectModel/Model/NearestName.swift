/// Finds the name that the user probably meant.
package enum NearestName {
  /// Returns the name nearest to `typed`, ignoring case; nil if none is near. A near name differs in at most a third of
  /// the letters of `typed`, or in two letters if `typed` is short, but not in all. Of equally near names, the first is
  /// returned.
  package static func nearest(to typed: String, among names: some Sequence<String>) -> String? {
    let wanted = Array(typed.lowercased())
    let limit = max(2, wanted.count / 3)
    var best: (name: String, distance: Int)?
    for name in names {
      let distance = editDistance(wanted, Array(name.lowercased()))
      // For a short name, the limit alone would allow all letters to differ.
      if distance <= limit, distance < wanted.count, distance < best?.distance ?? .max {
        best = (name, distance)
      }
    }
    return best?.name
  }

  /// Returns the minimum number of insertions, deletions, substitutions and swaps of adjacent letters
  /// (optimal string alignment).
  package static func editDistance(_ a: [Character], _ b: [Character]) -> Int {
    var beforePrevious: [Int] = []
    var previous = Array(0...b.count)
    for i in 0..<a.count {
      var current = [i + 1]
      current.reserveCapacity(b.count + 1)
      for j in 0..<b.count {
        var least = min(
          previous[j] + (a[i] == b[j] ? 0 : 1), previous[j + 1] + 1, current[j] + 1)
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
          least = min(least, beforePrevious[j - 1] + 1)
        }
        current.append(least)
      }
      (beforePrevious, previous) = (previous, current)
    }
    return previous[b.count]
  }
}
