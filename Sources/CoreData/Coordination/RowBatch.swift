import Foundation

/// Rows as they came from a store, column by column, at most 1,024 of them.
///
/// Numbers lie in one flat block, text and bytes in one growing buffer, so that filling a batch
/// allocates nothing a value. A managed object's clean values are a batch and a row number in it;
/// a `String` is made only when one is read. The batch lives as long as any of its objects.
///
/// Filled by one thread, then never changed, so it is read from any.
final class RowBatch: @unchecked Sendable {
  /// One surviving object pins at most this many rows.
  static let maximumCount = 1024
  /// A batch with this many bytes of text and blobs is full, whatever its number of rows.
  private static let byteLimit = 16 << 20

  let shape: RowShape
  let capacity: Int
  private(set) var count = 0
  private let keys: UnsafeMutablePointer<Int64>
  private let versions: UnsafeMutablePointer<Int32>
  private let entities: UnsafeMutablePointer<UInt16>
  /// `columns × capacity` cells: an integer, a double's bits, or offset and length in `bytes`.
  private let cells: UnsafeMutablePointer<UInt64>
  private let nulls: UnsafeMutablePointer<UInt64>
  private let nullWords: Int
  private var bytes: UnsafeMutablePointer<UInt8>
  private var byteCount = 0
  private var byteCapacity: Int
  /// The files that rows name.
  private var lease: ExternalLease?

  init(shape: RowShape, capacity: Int) {
    self.shape = shape
    self.capacity = max(1, min(capacity, Self.maximumCount))
    keys = .allocate(capacity: self.capacity)
    versions = .allocate(capacity: self.capacity)
    entities = .allocate(capacity: self.capacity)
    cells = .allocate(capacity: max(1, self.capacity * shape.columns.count))
    nullWords = (self.capacity + 63) / 64
    nulls = .allocate(capacity: max(1, nullWords * shape.columns.count))
    nulls.initialize(repeating: 0, count: max(1, nullWords * shape.columns.count))
    byteCapacity = shape.hasBytes ? self.capacity * 16 : 1
    bytes = .allocate(capacity: byteCapacity)
  }

  deinit {
    keys.deallocate()
    versions.deallocate()
    entities.deallocate()
    cells.deallocate()
    nulls.deallocate()
    bytes.deallocate()
  }

  var isFull: Bool { count == capacity || byteCount >= Self.byteLimit }

  // MARK: Filling

  /// Begins a row; its cells are set next, each at most once.
  func appendRow(key: Int64, version: Int32, entity: Int) {
    keys[count] = key
    versions[count] = version
    entities[count] = UInt16(truncatingIfNeeded: entity)
    count += 1
  }

  func setNull(column: Int) {
    let row = count - 1
    cells[column * capacity + row] = 0
    nulls[column * nullWords + row / 64] |= 1 << UInt64(row % 64)
  }

  func set(_ value: Int64, column: Int) {
    cells[column * capacity + count - 1] = UInt64(bitPattern: value)
  }

  func set(_ value: Double, column: Int) {
    cells[column * capacity + count - 1] = value.bitPattern
  }

  func set(_ value: some Collection<UInt8>, column: Int) {
    let length = value.count
    cells[column * capacity + count - 1] = UInt64(byteCount) << 32 | UInt64(length)
    reserveBytes(length)
    _ = UnsafeMutableBufferPointer(start: bytes + byteCount, count: length)
      .initialize(fromContentsOf: value)
    byteCount += length
  }

  /// Keeps a file that a row names for as long as the batch is there.
  func hold(_ name: String, _ use: ExternalUse) {
    let lease = lease ?? ExternalLease(use)
    self.lease = lease
    lease.add(name)
  }

  private func reserveBytes(_ length: Int) {
    guard byteCount + length > byteCapacity else { return }
    byteCapacity = max(byteCapacity * 2, byteCount + length)
    let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: byteCapacity)
    larger.moveInitialize(from: bytes, count: byteCount)
    bytes.deallocate()
    bytes = larger
  }

  // MARK: Reading

  func key(_ row: Int) -> Int64 { keys[row] }
  func version(_ row: Int) -> Int32 { versions[row] }
  func layout(_ row: Int) -> EntityLayout { shape.model.entities[Int(entities[row])] }

  func isNull(column: Int, row: Int) -> Bool {
    nulls[column * nullWords + row / 64] & (1 << UInt64(row % 64)) != 0
  }

  func integer(column: Int, row: Int) -> Int64 {
    Int64(bitPattern: cells[column * capacity + row])
  }

  func double(column: Int, row: Int) -> Double {
    Double(bitPattern: cells[column * capacity + row])
  }

  func withBytes<Result>(
    column: Int, row: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Result
  ) -> Result {
    let cell = cells[column * capacity + row]
    return body(
      UnsafeBufferPointer(start: bytes + Int(cell >> 32), count: Int(cell & 0xffff_ffff)))
  }

  /// Where the cells of a column lie, for reading many; they live as long as the batch.
  func cells(ofColumn column: Int) -> CellColumn {
    CellColumn(
      cells: UnsafePointer(cells + column * capacity),
      nulls: UnsafePointer(nulls + column * nullWords), bytes: UnsafePointer(bytes))
  }

  func text(column: Int, row: Int) -> String {
    withBytes(column: column, row: row) { String(decoding: $0, as: UTF8.self) }
  }

  func data(column: Int, row: Int) -> Data {
    withBytes(column: column, row: row) { Data($0) }
  }
}
