/// Recovers the strings of a truncated binary property list, which lacks the table of object offsets at its end.
///
/// Objects follow each other and each one states its length, so they can be read sequentially from the first. Only one
/// number that this requires is in the missing end: the size of a reference, 1 to 4 bytes.
package enum ArchiveFragments {
  /// Returns the strings of a property list in order, up to the position where it ends or becomes invalid.
  package static func texts(in data: Data) -> [String] {
    guard data.starts(with: Data("bplist00".utf8)) else { return [] }
    let bytes = [UInt8](data)
    // The correct size is the one with which the most strings can be read.
    return [1, 2, 3, 4].map { texts(in: bytes, referenceSize: $0) }
      .max { $0.count < $1.count } ?? []
  }

  /// Returns the spellings of names, keyed by their uppercase forms, which tables and columns use.
  ///
  /// - Parameter cache: A store's copy of its model, which may be incomplete.
  package static func spellings(inModelCache cache: Data) -> [String: String] {
    // `decompress` would reject a truncated copy, but its beginning is enough here.
    let archive = Deflate.decompressBeginning(of: cache, limit: 64 << 20)
    var spellings: [String: String] = [:]
    for text in texts(in: archive) where text.utf8.count <= 200 && !text.isEmpty {
      let name = text.uppercased()
      // A string that is all uppercase may be unrelated text, so a mixed-case spelling replaces it.
      if spellings[name] == nil || spellings[name] == name { spellings[name] = text }
    }
    return spellings
  }

  private static func texts(in bytes: [UInt8], referenceSize: Int) -> [String] {
    var texts: [String] = []
    var place = 8
    while place < bytes.count {
      let (kind, low) = (bytes[place] >> 4, Int(bytes[place] & 15))
      place += 1
      var count = low
      // Longer objects store their length as a separate integer.
      if [4, 5, 6, 7, 10, 12, 13].contains(kind), low == 15 {
        guard place < bytes.count, bytes[place] >> 4 == 1 else { return texts }
        let size = 1 << Int(bytes[place] & 15)
        guard size <= 8, place + size < bytes.count else { return texts }
        let number = bytes[(place + 1)...(place + size)].bigEndian
        guard number < UInt64(bytes.count) else { return texts }
        count = Int(number)
        place += 1 + size
      }
      let size: Int
      switch kind {
      case 0: size = 0
      case 1, 2: size = 1 << low
      case 3: size = 8
      case 4, 5, 7: size = count
      case 6: size = count * 2
      case 8: size = low + 1
      case 10, 12: size = count * referenceSize
      case 13: size = count * 2 * referenceSize
      default: return texts
      }
      guard size <= bytes.count - place else { return texts }
      let content = bytes[place..<(place + size)]
      switch kind {
      case 5, 7:
        // With a wrong reference size, references are read as strings, and invalid text is the
        // first sign of it.
        guard let text = String(validating: content, as: UTF8.self) else { return texts }
        texts.append(text)
      case 6:
        let units = stride(from: place, to: place + size, by: 2).map {
          UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
        }
        texts.append(String(decoding: units, as: UTF16.self))
      default: break
      }
      place += size
    }
    return texts
  }
}
