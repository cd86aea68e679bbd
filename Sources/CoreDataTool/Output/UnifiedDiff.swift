import StoreInspection

/// The difference of two strings in the format that `diff -u` writes and `patch` reads.
struct UnifiedDiff {
  private let old: [String]
  private let new: [String]
  private let path: String
  private static let context = 3

  init(of path: String, from old: String, to new: String) {
    self.path = path
    self.old = Self.lines(of: old)
    self.new = Self.lines(of: new)
  }

  /// Returns the lines of a string, including the line breaks at their ends, which the last line may lack.
  private static func lines(of text: String) -> [String] {
    // Splits Unicode scalars, because CR LF is a single Character, which differs from a line feed.
    let parts = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
      .map { String($0) }
    let last = parts.last ?? ""
    return parts.dropLast().map { $0 + "\n" } + (last.isEmpty ? [] : [last])
  }

  /// The diff; empty if the strings are equal.
  var text: String {
    let lines = comparedLines()
    guard lines.contains(where: { $0.sign != " " }) else { return "" }
    let place = path.hasPrefix("/") ? path : "/\(path)"
    return "--- a\(place)\n+++ b\(place)\n" + hunks(lines).joined()
  }

  private struct Line {
    let sign: Character
    let text: String
    /// The numbers of lines that precede this one in the old and the new text.
    let place: (old: Int, new: Int)
  }

  private func comparedLines() -> [Line] {
    var (removed, inserted): (Set<Int>, Set<Int>) = ([], [])
    // `==` considers a precomposed letter equal to a decomposed one, but `patch` compares bytes, which differ.
    for change in new.difference(from: old, by: { $0.utf8.elementsEqual($1.utf8) }) {
      switch change {
      case .remove(let offset, _, _): removed.insert(offset)
      case .insert(let offset, _, _): inserted.insert(offset)
      }
    }
    var lines: [Line] = []
    var place = (old: 0, new: 0)
    while place.old < old.count || place.new < new.count {
      let sign: Character =
        removed.contains(place.old) ? "-" : inserted.contains(place.new) ? "+" : " "
      let text = sign == "+" ? new[place.new] : old[place.old]
      lines.append(Line(sign: sign, text: text, place: place))
      if sign != "+" { place.old += 1 }
      if sign != "-" { place.new += 1 }
    }
    return lines
  }

  private func hunks(_ lines: [Line]) -> [String] {
    // Changes that are separated by few lines are joined into one hunk.
    var places = RangeSet<Int>()
    for index in lines.indices where lines[index].sign != " " {
      let end = min(index + Self.context + 1, lines.count)
      places.insert(contentsOf: max(0, index - Self.context)..<end)
    }
    return places.ranges.flatMap { range -> [String] in
      let hunk = lines[range]
      let place = lines[range.lowerBound].place
      let old = Self.range(place.old, hunk.count { $0.sign != "+" })
      let new = Self.range(place.new, hunk.count { $0.sign != "-" })
      return ["@@ -\(old) +\(new) @@\n"]
        + hunk.map { line in
          let isWhole = line.text.utf8.last == UInt8(ascii: "\n")
          return "\(line.sign)\(line.text)" + (isWhole ? "" : "\n\\ No newline at end of file\n")
        }
    }
  }

  private static func range(_ before: Int, _ count: Int) -> String {
    // In this format, an empty range has the number of the line before it.
    count == 0 ? "\(before),0" : "\(before + 1),\(count)"
  }
}
