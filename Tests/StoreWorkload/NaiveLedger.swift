import Foundation

/// The expected contents of a store after a number of steps, derived from that number alone.
struct NaiveLedger: Equatable, Sendable {
  struct Item: Equatable, Sendable {
    let place: Int
    let size: Int
    let byte: UInt8
    var isSpecial: Bool { place % 2 == 1 }

    init(_ place: Int, of number: Int) {
      self.place = place
      // Some payloads are large enough for external files.
      size = (number + place) % 4 == 0 ? 150_000 : 40
      byte = UInt8(truncatingIfNeeded: number &+ place)
    }
  }

  struct Entry: Equatable, Sendable {
    var note: String
    var items: [Item]
    var tags: [String]
  }

  private(set) var entries: [Int: Entry] = [:]
  private(set) var counter = 0
  private(set) var lines: [Int: Int] = [:]

  /// The maximum number of entries.
  static let window = 10
  static let linesOfBatch = 4

  enum Step: Equatable {
    /// An object graph: an entry with everything that belongs to it, changes to the previous entry,
    /// and the deletion of the entry that leaves the window.
    case entry(Int)
    case insertLines(Int)
    case deleteLines(before: Int)

    init(_ number: Int) {
      switch number % 10 {
      case 0: self = .insertLines(number)
      case 5: self = .deleteLines(before: number - 20)
      default: self = .entry(number)
      }
    }
  }

  static func items(_ number: Int) -> [Item] {
    let count = 2 + number % 3
    return (0..<count).map { Item(($0 + number) % count, of: number) }
  }

  static func tags(_ number: Int) -> [String] { (0..<(number % 5)).map { "tag \($0)" } }

  init(after count: Int) {
    // Older steps have left the window, and their lines are deleted.
    for number in stride(from: max(1, count - 100), through: count, by: 1) { apply(Step(number)) }
  }

  private mutating func apply(_ step: Step) {
    switch step {
    case .entry(let number):
      entries[number] = Entry(
        note: "new", items: Self.items(number), tags: Self.tags(number))
      if var last = entries[number - 1] {
        last.note = "before \(number)"
        last.items.append(last.items.removeFirst())
        entries[number - 1] = last
      }
      entries = entries.filter { $0.key > number - Self.window }
      counter = number
    case .insertLines(let number): lines[number] = Self.linesOfBatch
    case .deleteLines(let limit): lines = lines.filter { $0.key >= limit }
    }
  }

  /// The contents as text, for a message.
  var text: String {
    let entries = entries.sorted { $0.key < $1.key }.map { number, entry in
      let items = entry.items.map {
        "\($0.place)\($0.isSpecial ? "s" : "")(\($0.size)×\($0.byte))"
      }
      return "\(number) \"\(entry.note)\" \(items.joined(separator: ",")) \(entry.tags)"
    }
    let lines = lines.sorted { $0.key < $1.key }.map { "\($0.key)×\($0.value)" }
    return "counter \(counter); \(entries.joined(separator: "; ")); lines \(lines)"
  }

  init(entries: [Int: Entry], counter: Int, lines: [Int: Int]) {
    (self.entries, self.counter, self.lines) = (entries, counter, lines)
  }
}

extension NaiveLedger.Item {
  init(place: Int, size: Int, byte: UInt8) {
    (self.place, self.size, self.byte) = (place, size, byte)
  }
}
