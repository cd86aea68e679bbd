import StoreEngine

/// Allocates the keys of new rows: all at once if their number is known, otherwise in blocks.
final class BatchKeySource {
  private static let blockSize = 10_000

  private let store: SQLiteStore
  private let root: EntityLayout
  private let connection: SQLiteConnection
  private var rest: Range<Int64> = 0..<0
  private var expected: Int?

  init(_ store: SQLiteStore, _ layout: EntityLayout, expected: Int?, connection: SQLiteConnection) {
    self.store = store
    root = layout.root
    self.expected = expected
    self.connection = connection
  }

  func next() throws -> Int64 {
    if let key = rest.popFirst() { return key }
    let request = KeyRequest(root: root, count: expected ?? Self.blockSize)
    expected = nil
    rest = try store.keys([request], on: connection)[0]
    return rest.removeFirst()
  }

  /// Releases the rest of the last block. No other connection can have allocated keys after it, because the transaction
  /// is still open.
  func end() throws {
    guard let first = rest.first else { return }
    try connection.run(
      "UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = \(try store.schema.number(root))",
      [.integer(first - 1)])
    rest = 0..<0
  }
}
