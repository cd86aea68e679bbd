import Foundation

/// A text to be logged.
///
/// What is marked private or sensitive is logged as `<private>`; what is not marked is logged as it is.
///
/// Compared to Apple's: there, texts and objects that are not marked are private outside of Xcode.
public struct OSLogMessage: ExpressibleByStringInterpolation, ExpressibleByStringLiteral, Sendable {
  let text: String

  /// A text that is in the source.
  public init(stringLiteral value: String) { text = value }

  /// A text with values in it.
  public init(stringInterpolation: OSLogInterpolation) { text = stringInterpolation.text }
}

/// Puts values into a text to be logged.
public struct OSLogInterpolation: StringInterpolationProtocol {
  private(set) var text = ""

  /// Begins an empty text.
  public init(literalCapacity: Int, interpolationCount: Int) {}

  /// Adds a part of the source's text.
  public mutating func appendLiteral(_ literal: String) { text += literal }

  /// Adds a value.
  public mutating func appendInterpolation<Value>(
    _ value: @autoclosure () -> Value, privacy: OSLogPrivacy = .auto
  ) {
    text += privacy.isHidden ? "<private>" : "\(value())"
  }

  /// Adds a number with a fraction, in a form.
  public mutating func appendInterpolation(
    _ value: @autoclosure () -> Double, format: OSLogFloatFormatting,
    privacy: OSLogPrivacy = .auto
  ) {
    text += privacy.isHidden ? "<private>" : format.text(value())
  }

  /// Adds a whole number, in a form.
  public mutating func appendInterpolation<Value: BinaryInteger>(
    _ value: @autoclosure () -> Value, format: OSLogIntegerFormatting,
    privacy: OSLogPrivacy = .auto
  ) {
    text += privacy.isHidden ? "<private>" : format.text(value())
  }
}

/// How a number with a fraction is written.
public struct OSLogFloatFormatting: Sendable {
  let text: @Sendable (Double) -> String

  /// With six digits behind the point.
  public static var fixed: OSLogFloatFormatting { fixed(precision: 6) }

  /// With some digits behind the point.
  public static func fixed(precision: Int) -> OSLogFloatFormatting {
    OSLogFloatFormatting { String(format: "%.\(max(precision, 0))f", $0) }
  }
}

/// How a whole number is written.
public struct OSLogIntegerFormatting: Sendable {
  private let radix: Int
  private let prefix: String

  /// With the digits 0 to 9.
  public static var decimal: OSLogIntegerFormatting { .init(radix: 10, prefix: "") }
  /// With the digits 0 to f.
  public static var hex: OSLogIntegerFormatting { .init(radix: 16, prefix: "") }
  /// With the digits 0 to 7.
  public static var octal: OSLogIntegerFormatting { .init(radix: 8, prefix: "") }

  /// With the digits 0 to f, behind `0x` where that is asked for.
  public static func hex(includePrefix: Bool) -> OSLogIntegerFormatting {
    .init(radix: 16, prefix: includePrefix ? "0x" : "")
  }

  func text(_ value: some BinaryInteger) -> String { prefix + String(value, radix: radix) }
}

/// Whether a value may be seen in a log.
public struct OSLogPrivacy: Sendable {
  let isHidden: Bool

  /// Whether the values of one text can still be told from each other.
  public enum Mask: Sendable { case hash, none }

  /// As it is.
  public static var `public`: OSLogPrivacy { OSLogPrivacy(isHidden: false) }
  /// As it is, for what is not marked.
  public static var auto: OSLogPrivacy { OSLogPrivacy(isHidden: false) }
  /// Not seen.
  public static var `private`: OSLogPrivacy { OSLogPrivacy(isHidden: true) }
  /// Not seen.
  public static var sensitive: OSLogPrivacy { OSLogPrivacy(isHidden: true) }
  /// Not seen.
  public static func `private`(mask: Mask) -> OSLogPrivacy { .private }
  /// Not seen.
  public static func sensitive(mask: Mask) -> OSLogPrivacy { .sensitive }
  /// As it is.
  public static func auto(mask: Mask) -> OSLogPrivacy { .auto }
}
