import Foundation
import _FoundationICU

/// An order of strings by the user's locale: ICU's collation of it, with canonically equivalent strings the same.
///
/// Each string has bytes of its own, its key, that come in this order. The locale is that of the first use.
final class LocaleCollation: @unchecked Sendable {
  static let localized = LocaleCollation(UCOL_TERTIARY)
  static let caseInsensitive = LocaleCollation(UCOL_SECONDARY)
  /// Numbers by their amount; what is still the same by code points.
  static let standard = LocaleCollation(UCOL_TERTIARY, isStandard: true)

  // Safe to share: nobody changes it once it is set up.
  private let collator: OpaquePointer
  private let isStandard: Bool
  /// The locale, and the version of what is known of it.
  let version: String

  private init(_ strength: UColAttributeValue, isStandard: Bool = false) {
    var status = U_ZERO_ERROR
    let locale = Locale.current.identifier
    guard let collator = swift_ucol_open(locale, &status) else {
      preconditionFailure("ICU has no collation, not even that of no language: \(status.rawValue)")
    }
    swift_ucol_setAttribute(collator, UCOL_STRENGTH, strength, &status)
    swift_ucol_setAttribute(collator, UCOL_NORMALIZATION_MODE, UCOL_ON, &status)
    if isStandard { swift_ucol_setAttribute(collator, UCOL_NUMERIC_COLLATION, UCOL_ON, &status) }
    precondition(status.rawValue <= U_ZERO_ERROR.rawValue, "ICU: \(status.rawValue)")
    self.collator = collator
    var numbers: [UInt8] = [0, 0, 0, 0]
    swift_ucol_getVersion(collator, &numbers)
    version = "\(locale) \(numbers.map(String.init).joined(separator: "."))"
    self.isStandard = isStandard
  }

  deinit { swift_ucol_close(collator) }

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
        return isStandard ? Self.compareTails(left, right) : .orderedSame
      }
    }
  }

  private static func characters<Result>(
    _ text: UnsafeBufferPointer<UInt8>, _ body: (UnsafePointer<CChar>?, Int32) -> Result
  ) -> Result {
    text.withMemoryRebound(to: CChar.self) { body($0.baseAddress, Int32($0.count)) }
  }

  /// Runs a step on the key of a string in UTF-8.
  func withKey<Result>(
    of text: UnsafeBufferPointer<UInt8>, _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
  ) rethrows -> Result {
    try withUnsafeTemporaryAllocation(of: UInt16.self, capacity: text.count) { units in
      let count = Self.decode(text, into: units)
      // What most strings need; an empty one gives a key, too.
      let guess = 4 * text.count + 16
      return try withUnsafeTemporaryAllocation(of: UInt8.self, capacity: guess) { key in
        let needed = writeKey(of: units, count, in: key)
        if needed <= guess {
          return try finish(UnsafeBufferPointer(rebasing: key[..<needed]), text, body)
        }
        return try withUnsafeTemporaryAllocation(of: UInt8.self, capacity: needed) { key in
          _ = writeKey(of: units, count, in: key)
          return try finish(UnsafeBufferPointer(key), text, body)
        }
      }
    }
  }

  /// The number of bytes of a key, which is written where there is room for it.
  private func writeKey(
    of units: UnsafeMutableBufferPointer<UInt16>, _ count: Int,
    in room: UnsafeMutableBufferPointer<UInt8>
  ) -> Int {
    Int(
      swift_ucol_getSortKey(
        collator, units.baseAddress, Int32(count), room.baseAddress, Int32(room.count)))
  }

  /// A key without the zero at its end; that of the standard order with the tail behind it, where there is one.
  private func finish<Result>(
    _ key: UnsafeBufferPointer<UInt8>, _ text: UnsafeBufferPointer<UInt8>,
    _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
  ) rethrows -> Result {
    guard isStandard, Self.hasTail(text) else {
      return try body(UnsafeBufferPointer(rebasing: key.dropLast()))
    }
    return try (Array(key) + text).withUnsafeBufferPointer(body)
  }

  /// The number of UTF-16 units of a text, of which there is room for one a byte.
  private static func decode(
    _ text: UnsafeBufferPointer<UInt8>, into units: UnsafeMutableBufferPointer<UInt16>
  ) -> Int {
    for (place, byte) in text.enumerated() {
      guard byte < 0x80 else {
        var count = 0
        for unit in String(decoding: text, as: UTF8.self).utf16 {
          units[count] = unit
          count += 1
        }
        return count
      }
      units[place] = UInt16(byte)
    }
    return text.count
  }

  // MARK: What collation does not tell apart

  /// The order of two strings that collation does not tell apart.
  private static func compareTails(
    _ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>
  ) -> ComparisonResult {
    let (left, right) = (
      left.prefix(hasTail(left) ? left.count : 0), right.prefix(hasTail(right) ? right.count : 0)
    )
    if left.elementsEqual(right) { return .orderedSame }
    return left.lexicographicallyPrecedes(right) ? .orderedAscending : .orderedDescending
  }

  /// Whether another string may collate the same: not when it is printable ASCII without a number that begins with a
  /// zero, of which there is one for each key. Such strings' keys need nothing more.
  private static func hasTail(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    let digits: ClosedRange<UInt8> = 48...57
    var isInNumber = false
    for (place, byte) in text.enumerated() {
      guard 32...126 ~= byte else { return true }
      let isDigit = digits ~= byte
      if byte == 48, !isInNumber, place + 1 < text.count, digits ~= text[place + 1] { return true }
      isInNumber = isDigit
    }
    return false
  }
}
