import FixtureSupport
import Foundation
import Testing

@testable import CoreData
@testable import Predicates

@Suite("Sort keys of live results")
struct SortKeyFormTests {
  private func sort(
    _ kind: ValueKind, ascending: Bool = true, _ comparison: StringComparison = .literal
  ) -> BoundSort {
    BoundSort(key: .constant(.null, kind), ascending: ascending, comparison: comparison)
  }

  private func check(
    _ sorts: [BoundSort], _ rows: [[StoredValue]], _ seed: String = "",
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let form = SortKeyForm(sorts)
    let order = RowOrder(sorts: sorts)
    let keys = rows.map { row in
      var bytes: [UInt8] = []
      for (index, value) in row.enumerated() { form.append(value, index, to: &bytes) }
      return bytes
    }
    for (left, a) in zip(rows, keys) {
      for (right, b) in zip(rows, keys) {
        let found = a.withUnsafeBufferPointer { a in
          b.withUnsafeBufferPointer { form.compare(a, $0).signum() }
        }
        let wanted = order.compare(
          SortValues(values: left, key: 1), SortValues(values: right, key: 1))
        #expect(
          found == wanted.signum(), "\(left) and \(right) \(seed)", sourceLocation: sourceLocation)
      }
    }
  }

  private static let integers: [StoredValue] =
    [.null]
    + [
      0, 1, -1, 2, 127, 128, 255, 256, -128, -129, -255, -256, -257, 65535, 65536, 1 << 52,
      1 << 53, (1 << 53) + 1, -(1 << 53) - 1, Int64.max, Int64.max - 1, Int64.min, Int64.min + 1,
    ].map(StoredValue.integer)
  private static let doubles: [StoredValue] =
    [.null]
    + [
      0, -0.0, 1, -1, 0.5, 1e300, -1e300, .infinity, -.infinity, .leastNonzeroMagnitude, 127.5,
      0x1p53, 0x1p53 + 2, 0x1p63, -0x1p63, 1234567.25,
    ].map(StoredValue.double)
  private static let texts: [StoredValue] =
    [.null]
    + [
      "", "a", "A", "ab", "b", "B", "a\0", "a\u{1}", "a\u{2}", "\0", "\u{1}", "é", "e", "E", "ÿ",
      "z", "Z", "item 10", "item 9", "Item 9", "😀", "a\0b", "straße", "STRASSE",
    ].map(StoredValue.text)

  @Test("numbers have the order of the store, ascending and descending", arguments: [true, false])
  func numbers(ascending: Bool) {
    check([sort(.integer, ascending: ascending)], Self.integers.map { [$0] })
    check([sort(.double, ascending: ascending)], Self.doubles.map { [$0] })
    let decimals: [StoredValue] =
      [.null]
      + ["0", "1", "-1", "1.5", "9007199254740993", "9007199254740992", "1e20", "-1e20", "0.1"]
      .map { .decimal(NSDecimalNumber(string: $0)) }
    check([sort(.decimal, ascending: ascending)], decimals.map { [$0] })
    // The result of an expression may be an integer or a double.
    check([sort(.opaque, ascending: ascending)], (Self.integers + Self.doubles).map { [$0] })
  }

  @Test("texts have the order of each comparison", arguments: StringComparison.allCases)
  func texts(_ comparison: StringComparison) {
    for ascending in [true, false] {
      check([sort(.text, ascending: ascending, comparison)], Self.texts.map { [$0] })
    }
  }

  @Test("data and UUIDs have the order of the store")
  func otherValues() throws {
    check(
      [sort(.data)],
      [[], [0], [0, 0], [1], [0, 1], [1, 0], [2], [255]].map { [.data(Data($0 as [UInt8]))] })
    check(
      [sort(.uuid)],
      [
        "00000000-0000-0000-0000-000000000000", "00000000-0000-0000-0000-000000000001",
        "01000000-0000-0000-0000-000000000000", "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF",
      ]
      .compactMap { UUID(uuidString: $0) }.map { [.uuid($0)] })
  }

  @Test("several values are compared in order, whatever their lengths")
  func combinations() {
    var random = SeededGenerator("SortKeyForm")
    for _ in 0..<30 {
      let comparisons = StringComparison.allCases.shuffled(using: &random)
      let sorts = [
        sort(.text, ascending: .random(using: &random), comparisons[0]),
        sort(.integer, ascending: .random(using: &random)),
        sort(.text, ascending: .random(using: &random), comparisons[1]),
        sort(.double, ascending: .random(using: &random)),
      ]
      let rows = (0..<24).map { _ -> [StoredValue] in
        [
          Self.texts.randomElement(using: &random) ?? .null,
          Self.integers.randomElement(using: &random) ?? .null,
          Self.texts.prefix(6).randomElement(using: &random) ?? .null,
          Self.doubles.randomElement(using: &random) ?? .null,
        ]
      }
      check(sorts, rows, "seed \(random.seed)")
    }
  }
}
