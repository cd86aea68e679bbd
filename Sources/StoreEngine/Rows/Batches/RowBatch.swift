/// At most 1,024 consecutive rows of a store.
///
/// Rows are in one flat block, and text and bytes in one growing buffer, so that filling a batch allocates no memory
/// for single values. The unchanged values of a managed object are a batch and a row number in it; a `String` is
/// created only when it is read. The batch lives as long as any of its objects.
///
/// One thread fills a batch. Afterwards it is immutable, so it can be read on any thread.
@usableFromInline
package final class RowBatch: @unchecked Sendable {
  /// The maximum number of rows in a batch, and so the number that a single object can keep in memory.
  package static let maximumCount = 1024
  /// The size of text and data in bytes at which a batch is full, even if it has fewer rows than it could.
  @inlinable static var byteLimit: Int { 16 << 20 }

  @usableFromInline package let shape: RowShape
  @usableFromInline package let capacity: Int
  @exclusivity(unchecked)
  @usableFromInline var rowCount = 0
  /// The rows. A row consists of its key; its version and the index of its entity; a bit for each column, which is
  /// set for NULL; and a cell for each column, which contains an integer, the bits of a double, or an offset and
  /// length in `bytes`.
  @usableFromInline let rows: UnsafeMutablePointer<UInt64>
  /// The number of words in a row.
  @usableFromInline let stride: Int
  /// The offset of the cells in a row.
  @usableFromInline let firstCell: Int
  /// The row that is being filled.
  @exclusivity(unchecked)
  @usableFromInline var current: UnsafeMutablePointer<UInt64>
  @exclusivity(unchecked)
  @usableFromInline var bytes: UnsafeMutablePointer<UInt8>
  @exclusivity(unchecked)
  @usableFromInline var byteCount = 0
  @exclusivity(unchecked)
  @usableFromInline var byteCapacity: Int
  /// An object that rows need while the batch exists.
  private var resource: AnyObject?

  @inlinable static var firstNull: Int { 2 }

  package init(shape: RowShape, capacity: Int) {
    self.shape = shape
    self.capacity = max(1, min(capacity, Self.maximumCount))
    let columns = shape.columns.count
    firstCell = Self.firstNull + (columns + 63) / 64
    stride = firstCell + columns
    rows = .allocate(capacity: stride * self.capacity)
    current = rows
    byteCapacity = shape.hasBytes ? self.capacity * 16 : 1
    bytes = .allocate(capacity: byteCapacity)
  }

  deinit {
    rows.deallocate()
    bytes.deallocate()
  }

  @inlinable package var count: Int { rowCount }

  @inlinable package var isFull: Bool { rowCount == capacity || byteCount >= Self.byteLimit }

  // MARK: Filling

  /// Begins a row. Each of its cells is set once afterwards.
  @inlinable @inline(__always)
  package func appendRow(key: Int64, version: Int32, entity: Int) {
    current = rows + rowCount &* stride
    rowCount &+= 1
    current[0] = UInt64(bitPattern: key)
    current[1] =
      UInt64(UInt32(bitPattern: version)) << 32 | UInt64(truncatingIfNeeded: entity) & 0xffff_ffff
    for word in Self.firstNull..<firstCell { current[word] = 0 }
  }

  @inlinable @inline(__always)
  package func setNull(column: Int) {
    // The block is not initialized, so the cell of a NULL must be set, too.
    current[firstCell &+ column] = 0
    current[Self.firstNull &+ column &>> 6] |= 1 &<< UInt64(truncatingIfNeeded: column & 63)
  }

  @inlinable @inline(__always)
  package func set(_ value: Int64, column: Int) {
    current[firstCell &+ column] = UInt64(bitPattern: value)
  }

  @inlinable @inline(__always)
  package func set(_ value: Double, column: Int) { current[firstCell &+ column] = value.bitPattern }

  @inlinable @inline(__always)
  package func set(bytes value: UnsafeRawBufferPointer, column: Int) {
    // 32 bits suffice for each number: SQLite's values have at most 2 GB, and a batch is full at 16
    // MB.
    let length = value.count
    current[firstCell &+ column] =
      UInt64(truncatingIfNeeded: byteCount) &<< 32 | UInt64(truncatingIfNeeded: length)
    // An empty buffer may have no base address.
    if length == 0 { return }
    if byteCount + length > byteCapacity { growBytes(length) }
    if let base = value.baseAddress {
      UnsafeMutableRawPointer(bytes + byteCount).copyMemory(from: base, byteCount: length)
    }
    byteCount &+= length
  }

  package func set(_ value: some Collection<UInt8>, column: Int) {
    let length = value.count
    current[firstCell + column] = UInt64(byteCount) << 32 | UInt64(length)
    if byteCount + length > byteCapacity { growBytes(length) }
    _ = UnsafeMutableBufferPointer(start: bytes + byteCount, count: length)
      .initialize(fromContentsOf: value)
    byteCount += length
  }

  /// Returns an object that lives as long as the batch, and creates it on first use. A batch has only one such object,
  /// so all calls must use the same type.
  package func resource<Resource: AnyObject>(_ make: () -> Resource) -> Resource {
    if let known = resource as? Resource { return known }
    let new = make()
    resource = new
    return new
  }

  @usableFromInline @inline(never)
  func growBytes(_ length: Int) {
    byteCapacity = max(byteCapacity * 2, byteCount + length)
    let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: byteCapacity)
    larger.moveInitialize(from: bytes, count: byteCount)
    bytes.deallocate()
    bytes = larger
  }

  // MARK: Reading

  @inlinable @inline(__always)
  func row(_ number: Int) -> UnsafePointer<UInt64> {
    UnsafePointer(rows + number &* stride)
  }

  @inlinable package func key(_ row: Int) -> Int64 { Int64(bitPattern: self.row(row)[0]) }
  @inlinable package func version(_ row: Int) -> Int32 {
    Int32(bitPattern: UInt32(truncatingIfNeeded: self.row(row)[1] >> 32))
  }
  @inlinable package func entityIndex(_ row: Int) -> Int { Int(self.row(row)[1] & 0xffff_ffff) }
  package func layout(_ row: Int) -> EntityLayout { shape.model.entities[entityIndex(row)] }

  @inlinable @inline(__always)
  package func isNull(column: Int, row: Int) -> Bool {
    let word = self.row(row)[Self.firstNull &+ column &>> 6]
    return word &>> UInt64(truncatingIfNeeded: column & 63) & 1 != 0
  }

  @inlinable @inline(__always)
  func cell(_ column: Int, _ row: Int) -> UInt64 { self.row(row)[firstCell &+ column] }

  @inlinable @inline(__always)
  package func integer(column: Int, row: Int) -> Int64 { Int64(bitPattern: cell(column, row)) }

  @inlinable @inline(__always)
  package func double(column: Int, row: Int) -> Double { Double(bitPattern: cell(column, row)) }

  @inlinable package func withBytes<Result>(
    column: Int, row: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Result
  ) -> Result {
    let cell = cell(column, row)
    return body(UnsafeBufferPointer(start: bytes + Int(cell >> 32), count: Int(cell & 0xffff_ffff)))
  }

  /// Returns the cells of a column, for reading many rows. They live as long as the batch.
  package func cells(ofColumn column: Int) -> CellColumn {
    CellColumn(
      cells: row(0) + firstCell + column, stride: stride,
      nulls: row(0) + Self.firstNull + column / 64, nullBit: 1 << UInt64(column % 64),
      bytes: UnsafePointer(bytes))
  }

  package func text(column: Int, row: Int) -> String {
    withBytes(column: column, row: row) { String(decoding: $0, as: UTF8.self) }
  }

  package func data(column: Int, row: Int) -> Data {
    withBytes(column: column, row: row) { Data($0) }
  }
}
