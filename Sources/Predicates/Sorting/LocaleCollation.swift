import _FoundationICU

/// Compares strings by ICU's collation for the user's locale. Canonically equivalent strings are equal, except in
/// the standard order.
///
/// Each string has a sort key. Sort keys, compared byte by byte, have the same order as their strings. The locale is
/// the one that is current when the collation is first used.
final class LocaleCollation: @unchecked Sendable {
  static let localized = LocaleCollation(UCOL_TERTIARY)
  static let caseInsensitive = LocaleCollation(UCOL_SECONDARY)
  // ICU ignores accents but not case at the primary strength with a case level
  // (unicode-org.github.io/icu/userguide/collation/customization).
  static let diacriticInsensitive = LocaleCollation(UCOL_PRIMARY, hasCaseLevel: true)
  static let caseAndDiacriticInsensitive = LocaleCollation(UCOL_PRIMARY)
  /// Orders numbers in strings by value, and strings that are otherwise equal by code point.
  static let standard = LocaleCollation(UCOL_TERTIARY, isStandard: true)

  // The collator is safe to share, because it does not change after its setup.
  private let collator: OpaquePointer
  private let isStandard: Bool
  /// The locale, and the version of its collation rules.
  let version: String

  private init(
    _ strength: UColAttributeValue, hasCaseLevel: Bool = false, isStandard: Bool = false
  ) {
    var status = U_ZERO_ERROR
    let locale = Locale.current.identifier
    var opened = swift_ucol_open(locale, &status)
    if opened == nil {
      // ICU does not accept this name: use the root collation.
      status = U_ZERO_ERROR
      opened = swift_ucol_open("", &status)
    }
    guard let collator = opened else {
      stopProgram("ICU cannot open a collation, not even the root collation: \(status.rawValue)")
    }
    swift_ucol_setAttribute(collator, UCOL_STRENGTH, strength, &status)
    // Without normalization, some canonically equivalent strings compare as different.
    swift_ucol_setAttribute(collator, UCOL_NORMALIZATION_MODE, UCOL_ON, &status)
    if hasCaseLevel { swift_ucol_setAttribute(collator, UCOL_CASE_LEVEL, UCOL_ON, &status) }
    if isStandard { swift_ucol_setAttribute(collator, UCOL_NUMERIC_COLLATION, UCOL_ON, &status) }
    precondition(status.rawValue <= U_ZERO_ERROR.rawValue, "ICU: \(status.rawValue)")
    self.collator = collator
    var numbers: [UInt8] = [0, 0, 0, 0]
    swift_ucol_getVersion(collator, &numbers)
    version = "\(locale) \(numbers.map(String.init).joined(separator: "."))"
    self.isStandard = isStandard
  }

  deinit { swift_ucol_close(collator) }

  /// Returns the collation by which a predicate with options compares strings for equality and order; nil if it
  /// compares the bytes of the folded strings.
  static func of(_ options: NSComparisonPredicate.Options) -> LocaleCollation? {
    // Apple's headers say that `normalized` supersedes the other options.
    guard options.contains(.localeSensitive), !options.contains(.normalized) else { return nil }
    let ignoresDiacritics = options.contains(.diacriticInsensitive)
    if options.contains(.caseInsensitive) {
      return ignoresDiacritics ? .caseAndDiacriticInsensitive : .caseInsensitive
    }
    return ignoresDiacritics ? .diacriticInsensitive : .localized
  }

  func compare(_ left: String, _ right: String) -> ComparisonResult {
    var (left, right) = (left, right)
    return left.withUTF8 { left in
      right.withUTF8 { right in
        var status = U_ZERO_ERROR
        let order = Self.characters(left) { left, leftCount in
          Self.characters(right) { right, rightCount in
            swift_ucol_strcollUTF8(collator, left, leftCount, right, rightCount, &status)
          }
        }
        if order != UCOL_EQUAL {
          return order == UCOL_LESS ? .orderedAscending : .orderedDescending
        }
        if !isStandard || left.elementsEqual(right) { return .orderedSame }
        // Compares the UTF-8 bytes, because `finish` appends them to the sort key.
        return left.lexicographicallyPrecedes(right) ? .orderedAscending : .orderedDescending
      }
    }
  }

  private static func characters<Result>(
    _ text: UnsafeBufferPointer<UInt8>, _ body: (UnsafePointer<CChar>?, Int32) -> Result
  ) -> Result {
    text.withMemoryRebound(to: CChar.self) { body($0.baseAddress, Int32($0.count)) }
  }

  /// Calls a closure with the sort key of a UTF-8 text.
  func withKey<Result>(
    of text: UnsafeBufferPointer<UInt8>, _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
  ) rethrows -> Result {
    if text.allSatisfy({ $0 < 0x80 }) {
      return try withKey(text, of: text.lazy.map(UInt16.init), body)
    }
    // A `String` repairs invalid UTF-8, so the key must be that of the repaired string.
    var string = String(decoding: text, as: UTF8.self)
    return try string.withUTF8 {
      try withKey($0, of: String(decoding: $0, as: UTF8.self).utf16, body)
    }
  }

  private func withKey<Result>(
    _ text: UnsafeBufferPointer<UInt8>, of units: some Collection<UInt16>,
    _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
  ) rethrows -> Result {
    // A UTF-16 text never has more units than the UTF-8 text has bytes.
    try withUnsafeTemporaryAllocation(of: UInt16.self, capacity: text.count) { room in
      let count = room.initialize(fromContentsOf: units)
      // This is enough for most strings, including the empty string, whose key is not empty.
      let guess = min(4 * text.count + 16, Int(Int32.max))
      return try withUnsafeTemporaryAllocation(of: UInt8.self, capacity: guess) { key in
        let needed = writeKey(of: room, count, in: key)
        if needed <= guess {
          return try finish(UnsafeBufferPointer(rebasing: key[..<needed]), text, body)
        }
        return try withUnsafeTemporaryAllocation(of: UInt8.self, capacity: needed) { key in
          // The key did not fit into the guess, and the first call returned only its length.
          _ = writeKey(of: room, count, in: key)
          return try finish(UnsafeBufferPointer(key), text, body)
        }
      }
    }
  }

  /// Writes a key if it fits, and returns its number of bytes.
  private func writeKey(
    of units: UnsafeMutableBufferPointer<UInt16>, _ count: Int,
    in room: UnsafeMutableBufferPointer<UInt8>
  ) -> Int {
    Int(
      swift_ucol_getSortKey(
        collator, units.baseAddress, Int32(count), room.baseAddress, Int32(room.count)))
  }

  /// Calls the closure with a key without its final zero; for the standard order, with the whole key followed by the
  /// text.
  private func finish<Result>(
    _ key: UnsafeBufferPointer<UInt8>, _ text: UnsafeBufferPointer<UInt8>,
    _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
  ) rethrows -> Result {
    guard isStandard else { return try body(UnsafeBufferPointer(rebasing: key.dropLast())) }
    return try withUnsafeTemporaryAllocation(of: UInt8.self, capacity: key.count + text.count) {
      whole in
      // The final zero of the key stays, so that a key sorts before any longer one that begins with it.
      let start = whole.initialize(fromContentsOf: key)
      _ = whole[start...].initialize(fromContentsOf: text)
      return try body(UnsafeBufferPointer(whole))
    }
  }
}
