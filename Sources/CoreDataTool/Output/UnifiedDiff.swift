import StoreInspection

/// Two texts' differences in the form that `diff -u` writes and `patch` reads.
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

  /// The lines of a text, a carriage return at their ends with them; and whether the last has no end.
  private static func lines(of text: String) -> ([Substring], isOpen: Bool) {
    var lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
      .map { Substring($0) }
    let isOpen = lines.last?.isEmpty == false
    if !isOpen { lines.removeLast() }
    return (lines, isOpen)
  }

  /// The lines; empty where nothing differs.
  var text: String {
    let lines = comparedLines()
    guard lines.contains(where: { $0.sign != " " }) else { return "" }
    let place = path.hasPrefix("/") ? path : "/\(path)"
    return (["--- a\(place)", "+++ b\(place)"] + hunks(lines)).joined(separator: "\n") + "\n"
  }

  private struct Line {
    let sign: Character
    let text: Substring
    /// How many lines of each text come before.
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
      if removed.contains(place.old) {
        lines.append(Line(sign: "-", text: old[place.old], place: place))
        place.old += 1
      } else if inserted.contains(place.new) {
        lines.append(Line(sign: "+", text: new[place.new], place: place))
        place.new += 1
      } else {
        lines.append(Line(sign: " ", text: old[place.old], place: place))
        place.old += 1
        place.new += 1
      }
    }
    return lines
  }

  private func hunks(_ lines: [Line]) -> [String] {
    var result: [String] = []
    var next = 0
    while let first = lines[next...].firstIndex(where: { $0.sign != " " }) {
      var end = first
      // Changes with few lines between them are one hunk.
      while let change = lines[end...].firstIndex(where: { $0.sign != " " }),
        change - end <= 2 * Self.context || change == first
      {
        end = lines[change...].firstIndex { $0.sign == " " } ?? lines.count
        if end == lines.count { break }
      }
      let start = max(next, first - Self.context)
      let hunk = lines[start..<min(end + Self.context, lines.count)]
      let (oldCount, newCount) = (
        hunk.count { $0.sign != "+" }, hunk.count { $0.sign != "-" }
      )
      let place = lines[start].place
      result.append(
        "@@ -\(Self.range(place.old, oldCount)) +\(Self.range(place.new, newCount)) @@")
      for line in hunk {
        result.append("\(line.sign)\(line.text)")
        if isLastWithoutEnd(line) { result.append("\\ No newline at end of file") }
      }
      next = hunk.endIndex
      if next >= lines.count { break }
    }
    return result
  }

  private func isLastWithoutEnd(_ line: Line) -> Bool {
    line.sign == "+"
      ? isNewOpen && line.place.new == new.count - 1 : isOldOpen && line.place.old == old.count - 1
  }

  private static func range(_ before: Int, _ count: Int) -> String {
    count == 0 ? "\(before),0" : "\(before + 1),\(count)"
  }
}
