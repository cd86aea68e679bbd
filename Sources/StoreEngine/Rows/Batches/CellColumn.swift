/// The cells of one column in a batch.
@usableFromInline
package struct CellColumn {
  /// The cell of the first row. Those of the other rows follow at a distance of `stride` words.
  @usableFromInline package let cells: UnsafePointer<UInt64>
  @usableFromInline package let stride: Int
  @usableFromInline package let nulls: UnsafePointer<UInt64>
  @usableFromInline package let nullBit: UInt64
  /// The text and bytes of the batch. A cell of a column of text or bytes is an offset and a length in them.
  @usableFromInline package let bytes: UnsafePointer<UInt8>

  @inlinable @inline(__always)
  package func isNull(_ row: Int) -> Bool { nulls[row &* stride] & nullBit != 0 }

  @inlinable @inline(__always)
  package func integer(_ row: Int) -> Int64 { Int64(bitPattern: cells[row &* stride]) }

  @inlinable @inline(__always)
  package func double(_ row: Int) -> Double { Double(bitPattern: cells[row &* stride]) }

  @inlinable @inline(__always)
  package func bytes(_ row: Int) -> UnsafeBufferPointer<UInt8> {
    let cell = cells[row &* stride]
    return UnsafeBufferPointer(start: bytes + Int(cell &>> 32), count: Int(cell & 0xffff_ffff))
  }
}
