/// Writes a binary property list (`bplist00`), including UIDs.
///
/// Equal values are written once, except for collections. The output is deterministic.
struct BinaryPropertyListWriter {
  private var entries: [Entry] = []
  private var places: [PlainValueKey: Int] = [:]

  private enum Entry {
    case leaf(PropertyListValue)
    case array([Int])
    case dictionary(keys: [Int], values: [Int])
  }

  /// Returns the bytes of a property list.
  static func write(_ root: PropertyListValue) -> Data {
    var writer = BinaryPropertyListWriter()
    _ = writer.add(root)
    return writer.bytes()
  }

  private mutating func add(_ value: PropertyListValue) -> Int {
    switch value {
    case .array(let values):
      let place = reserve()
      // The collection's entry comes before those of its elements, so the root is entry 0, as the
      // trailer states.
      entries[place] = .array(values.map { add($0) })
      return place
    case .dictionary(let values):
      let place = reserve()
      // Sort the keys, because the order of a Swift dictionary differs in each process, and equal models must produce
      // equal files.
      let sorted = values.sorted { $0.key.isBefore($1.key) }
      let keys = sorted.map { add(.string($0.key)) }
      entries[place] = .dictionary(keys: keys, values: sorted.map { add($0.value) })
      return place
    default:
      let key = PlainValueKey(value)
      if let place = places[key] { return place }
      let place = reserve()
      entries[place] = .leaf(value)
      places[key] = place
      return place
    }
  }

  private mutating func reserve() -> Int {
    entries.append(.array([]))
    return entries.count - 1
  }

  private func bytes() -> Data {
    let referenceSize = Self.width(of: entries.count)
    var data = Data("bplist00".utf8)
    var offsets: [Int] = []
    for entry in entries {
      offsets.append(data.count)
      switch entry {
      case .leaf(let value): Self.append(leaf: value, to: &data)
      case .array(let values):
        Self.append(marker: 0xA0, count: values.count, to: &data)
        for value in values { Self.append(value, size: referenceSize, to: &data) }
      case .dictionary(let keys, let values):
        Self.append(marker: 0xD0, count: keys.count, to: &data)
        for value in keys + values { Self.append(value, size: referenceSize, to: &data) }
      }
    }
    let tableOffset = data.count
    let offsetSize = Self.width(of: tableOffset)
    for offset in offsets { Self.append(offset, size: offsetSize, to: &data) }
    // The trailer: five unused bytes, the sort version and the sizes, then object count, root and
    // table offset.
    data.append(contentsOf: [0, 0, 0, 0, 0, 0, UInt8(offsetSize), UInt8(referenceSize)])
    Self.append(entries.count, size: 8, to: &data)
    Self.append(0, size: 8, to: &data)
    Self.append(tableOffset, size: 8, to: &data)
    return data
  }

  private static func append(leaf value: PropertyListValue, to data: inout Data) {
    switch value {
    case .bool(let truth): data.append(truth ? 0x09 : 0x08)
    case .integer(let number): append(integer: number, to: &data)
    case .unsigned(let number):
      // Write sixteen bytes, because an eight-byte integer is signed and cannot hold the number.
      data.append(0x14)
      append(bits: 0, size: 8, to: &data)
      append(bits: number, size: 8, to: &data)
    case .real(let number):
      data.append(0x23)
      append(bits: number.bitPattern, size: 8, to: &data)
    case .date(let date):
      data.append(0x33)
      append(bits: date.timeIntervalSinceReferenceDate.bitPattern, size: 8, to: &data)
    case .data(let bytes):
      append(marker: 0x40, count: bytes.count, to: &data)
      data.append(bytes)
    // Type 5 holds only ASCII; all other text is UTF-16.
    case .string(let text) where text.utf8.allSatisfy({ $0 < 0x80 }):
      append(marker: 0x50, count: text.utf8.count, to: &data)
      data.append(contentsOf: text.utf8)
    case .string(let text):
      append(marker: 0x60, count: text.utf16.count, to: &data)
      for unit in text.utf16 { append(Int(unit), size: 2, to: &data) }
    case .uid(let place):
      let size = width(of: place)
      data.append(0x80 | UInt8(size - 1))
      append(place, size: size, to: &data)
    case .array, .dictionary:
      preconditionFailure("A collection is not a leaf.")
    }
  }

  private static func append(integer number: Int64, to data: inout Data) {
    // Negative numbers always take eight bytes, because shorter ones are unsigned.
    let size = number < 0 ? 8 : width(of: Int(number))
    data.append(0x10 | UInt8(size.trailingZeroBitCount))
    append(bits: UInt64(bitPattern: number), size: size, to: &data)
  }

  private static func append(marker: UInt8, count: Int, to data: inout Data) {
    guard count >= 15 else {
      data.append(marker | UInt8(count))
      return
    }
    data.append(marker | 0x0F)
    append(integer: Int64(count), to: &data)
  }

  private static func append(_ number: Int, size: Int, to data: inout Data) {
    append(bits: UInt64(number), size: size, to: &data)
  }

  private static func append(bits: UInt64, size: Int, to data: inout Data) {
    for place in (0..<size).reversed() {
      data.append(UInt8(truncatingIfNeeded: bits >> (8 * UInt64(place))))
    }
  }

  /// Returns the minimum size of a number: 1, 2, 4 or 8 bytes.
  private static func width(of number: Int) -> Int {
    switch number {
    case ..<0x100: 1
    case ..<0x1_0000: 2
    case ..<0x1_0000_0000: 4
    default: 8
    }
  }
}
