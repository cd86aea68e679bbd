import Foundation

/// A message to be logged.
///
/// Values marked private or sensitive are logged as `<private>`; unmarked values are logged as they are.
///
/// Compared to Apple's `os` framework: there, unmarked strings and objects are private outside of Xcode.
public struct OSLogMessage: ExpressibleByStringInterpolation, ExpressibleByStringLiteral, Sendable {
  let text: String

  /// Makes a message from a string literal.
  public init(stringLiteral value: String) { text = value }

  /// Makes a message from an interpolated string.
  public init(stringInterpolation: OSLogInterpolation) { text = stringInterpolation.text }
}

/// The string interpolation of a message.
public struct OSLogInterpolation: StringInterpolationProtocol {
  private(set) var text = ""

  /// Begins an empty message.
  public init(literalCapacity: Int, interpolationCount: Int) {}

  /// Appends a literal part.
  public mutating func appendLiteral(_ literal: String) { text += literal }

  /// Appends a value.
  public mutating func appendInterpolation<Value>(
    _ value: @autoclosure () -> Value, privacy: OSLogPrivacy = .auto
  ) {
    // A hidden value is not even computed.
    text += privacy.isHidden ? "<private>" : "\(value())"
  }

  /// Appends a floating-point number in a format.
  public mutating func appendInterpolation(
    _ value: @autoclosure () -> Double, format: OSLogFloatFormatting,
    privacy: OSLogPrivacy = .auto
  ) {
    text += privacy.isHidden ? "<private>" : format.text(value())
  }

  /// Appends an integer in a format.
  public mutating func appendInterpolation<Value: BinaryInteger>(
    _ value: @autoclosure () -> Value, format: OSLogIntegerFormatting,
    privacy: OSLogPrivacy = .auto
  ) {
    text += privacy.isHidden ? "<private>" : format.text(value())
  }
}

/// The format of a floating-point number.
public struct OSLogFloatFormatting: Sendable {
  let text: @Sendable (Double) -> String

  /// Six digits after the decimal point.
  public static var fixed: OSLogFloatFormatting { fixed(precision: 6) }

  /// Returns a format with a number of digits after the decimal point.
  public static func fixed(precision: Int) -> OSLogFloatFormatting {
    OSLogFloatFormatting { String(format: "%.\(max(precision, 0))f", $0) }
  }
}

/// The format of an integer.
public struct OSLogIntegerFormatting: Sendable {
  private let radix: Int
  private let prefix: String

  /// The digits 0 to 9.
  public static var decimal: OSLogIntegerFormatting { .init(radix: 10, prefix: "") }
  /// The digits 0 to f.
  public static var hex: OSLogIntegerFormatting { .init(radix: 16, prefix: "") }
  /// The digits 0 to 7.
  public static var octal: OSLogIntegerFormatting { .init(radix: 8, prefix: "") }

  /// Returns a format with the digits 0 to f, optionally after `0x`.
  public static func hex(includePrefix: Bool) -> OSLogIntegerFormatting {
    .init(radix: 16, prefix: includePrefix ? "0x" : "")
  }

  /// Returns the text of a number. The hexadecimal and octal digits of a negative number are those of its two's
  /// complement, as with `printf`, because Apple's type makes `printf` formats (OSLogIntegerFormatting.swift of the
  /// Swift project).
  func text<Value: BinaryInteger>(_ value: Value) -> String {
    if radix == 10 { return String(value) }
    return prefix + String(Value.Magnitude(truncatingIfNeeded: value), radix: radix)
  }
}

/// Whether a value is visible in a log.
public struct OSLogPrivacy: Sendable {
  let isHidden: Bool

  /// Whether equal values can be recognized as equal in Apple's logs. Has no effect here: a hidden value is always
  /// logged as `<private>`.
  public enum Mask: Sendable { case hash, none }

  /// The value is visible.
  public static var `public`: OSLogPrivacy { OSLogPrivacy(isHidden: false) }
  /// The value is visible. This is the privacy of unmarked values.
  public static var auto: OSLogPrivacy { OSLogPrivacy(isHidden: false) }
  /// The value is hidden.
  public static var `private`: OSLogPrivacy { OSLogPrivacy(isHidden: true) }
  /// The value is hidden.
  public static var sensitive: OSLogPrivacy { OSLogPrivacy(isHidden: true) }
  /// The value is hidden.
  public static func `private`(mask: Mask) -> OSLogPrivacy { .private }
  /// The value is hidden.
  public static func sensitive(mask: Mask) -> OSLogPrivacy { .sensitive }
  /// The value is visible.
  public static func auto(mask: Mask) -> OSLogPrivacy { .auto }
}
