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
