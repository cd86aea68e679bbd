import StoreInspection

/// The difference of two strings in the format that `diff -u` writes and `patch` reads.
struct UnifiedDiff {
  private let old: [Substring]
  private let new: [Substring]
  private let isOldOpen: Bool
  private let isNewOpen: Bool
  private let path: String
  private static let context = 3

  init(of path: String, from old: String, to new: String) {
    self.path = path
    (self.old, isOldOpen) = Self.lines(of: old)
    (self.new, isNewOpen) = Self.lines(of: new)
  }

  /// Returns the lines of a string, including carriage returns at their ends; and whether the last line lacks a line
  /// break.
  private static func lines(of text: String) -> ([Substring], isOpen: Bool) {
    // Splits Unicode scalars, because CR LF is a single Character, which differs from a line feed.
    var lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
      .map { Substring($0) }
    let isOpen = lines.last?.isEmpty == false
    if !isOpen { lines.removeLast() }
    return (lines, isOpen)
  }

  /// The diff; empty if the strings are equal.
  var text: String {
    let lines = comparedLines()
    guard lines.contains(where: { $0.sign != " " }) else { return "" }
    let place = path.hasPrefix("/") ? path : "/\(path)"
    return (["--- a\(place)", "+++ b\(place)"] + hunks(lines)).joined(separator: "\n") + "\n"
  }

  private struct Line {
    let sign: Character
    let text: Substring
    /// The numbers of lines that precede this one in the old and the new text.
    let place: (old: Int, new: Int)
  }

  private func comparedLines() -> [Line] {
    var (removed, inserted): (Set<Int>, Set<Int>) = ([], [])
    for change in new.difference(from: old) {
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
      return ["@@ -\(old) +\(new) @@"]
        + hunk.flatMap { line in
          ["\(line.sign)\(line.text)"]
            + (isLastWithoutEnd(line) ? ["\\ No newline at end of file"] : [])
        }
    }
  }

  private func isLastWithoutEnd(_ line: Line) -> Bool {
    line.sign == "+"
      ? isNewOpen && line.place.new == new.count - 1 : isOldOpen && line.place.old == old.count - 1
  }

  private static func range(_ before: Int, _ count: Int) -> String {
    // In this format, an empty range has the number of the line before it.
    count == 0 ? "\(before),0" : "\(before + 1),\(count)"
  }
}
