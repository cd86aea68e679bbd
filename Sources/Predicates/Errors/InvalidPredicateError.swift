/// What is wrong with a predicate: with its text, its arguments, or with evaluating it.
///
/// `error as NSError` has the domain `NSCocoaErrorDomain` and the code of a formatting error (2048).
///
/// Compared to Apple's Core Data: there each of these is an Objective-C exception.
public struct InvalidPredicateError: Error, Equatable, Sendable {
  /// What is wrong and with what, as one sentence without its full stop.
  public let message: String

  /// The text that does not parse, before any substitution; nil for a mistake found while
  /// evaluating.
  public let format: String?

  /// Where in `format` the mistake begins, as an offset in characters from the beginning; the
  /// text's length for a text that ends too early.
  public let position: Int?

  /// An error at a character of a format string; without one, about the predicate as a whole, or found
  /// while evaluating it.
  package init(_ message: String, format: String? = nil, position: Int? = nil) {
    self.message = message
    self.format = format
    self.position = position
  }

  /// The faulty text with a caret under the place of the mistake, as two lines; nil for an
  /// error without a place.
  public var excerpt: String? {
    guard let format, let position else { return nil }
    let line = String(format.map { $0.isNewline || $0 == "\t" ? " " : $0 })
    return line + "\n" + String(repeating: " ", count: position) + "^"
  }
}

extension InvalidPredicateError: LocalizedError, CustomNSError, CustomStringConvertible {
  /// The message with the text and the place it speaks of.
  public var errorDescription: String? { description }

  /// The message with the text and the place it speaks of.
  public var description: String {
    guard let format, let position else { return message }
    return "Unable to parse the format string \"\(format)\": \(message) at character \(position)"
  }

  /// `NSCocoaErrorDomain`.
  public static var errorDomain: String { NSCocoaErrorDomain }

  /// 2048, the code of Cocoa's formatting errors.
  public var errorCode: Int { 2048 }

  /// The description, under the key where every `NSError` has it.
  public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: description] }
}
