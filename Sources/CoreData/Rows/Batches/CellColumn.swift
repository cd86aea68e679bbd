/// The cells of one column of a batch.
struct CellColumn {
  /// The first row's; the others' follow, each after as many words as a row has.
  let cells: UnsafePointer<UInt64>
  let stride: Int
  let nulls: UnsafePointer<UInt64>
  let nullBit: UInt64
  /// The batch's text and bytes, in which a cell of a text column is an offset and a length.
  let bytes: UnsafePointer<UInt8>

  @inline(__always)
  func isNull(_ row: Int) -> Bool { nulls[row &* stride] & nullBit != 0 }

  @inline(__always)
  func integer(_ row: Int) -> Int64 { Int64(bitPattern: cells[row &* stride]) }

  @inline(__always)
  func double(_ row: Int) -> Double { Double(bitPattern: cells[row &* stride]) }

  @inline(__always)
  func bytes(_ row: Int) -> UnsafeBufferPointer<UInt8> {
    let cell = cells[row &* stride]
    return UnsafeBufferPointer(start: bytes + Int(cell &>> 32), count: Int(cell & 0xffff_ffff))
  }
}
