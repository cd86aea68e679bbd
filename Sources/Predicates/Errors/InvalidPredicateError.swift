/// An error in a predicate or an expression: in its text or arguments, or during its evaluation, conversion or
/// archiving.
///
/// `error as NSError` has the domain `NSCocoaErrorDomain` and the code of a formatting error (2048).
///
/// Compared to Apple's Core Data: there, each of these errors raises an Objective-C exception.
///
/// ```swift
/// do {
///   _ = try NSPredicate(validating: "age >= ")
/// } catch let error as InvalidPredicateError {
///   print(error.excerpt ?? error.message)
/// }
/// ```
public struct InvalidPredicateError: Error, Equatable, Sendable {
  /// The description of the error, as one sentence without its full stop.
  public let message: String

  /// The format string that does not parse, before any substitution; nil for any other error.
  public let format: String?

  /// The position of the error in `format`, as an offset in characters; equal to the string's length if the string ends
  /// too early. nil for an error without a format string.
  public let position: Int?

  /// Creates an error at a character of a format string; without a format string, an error that concerns
  /// the predicate as a whole or occurred during evaluation.
  package init(_ message: String, format: String? = nil, position: Int? = nil) {
    self.message = message
    self.format = format
    self.position = position
  }

  /// The format string with a caret under the position of the error, as two lines; nil for an error without a position.
  public var excerpt: String? {
    guard let format, let position else { return nil }
    let line = String(format.map { $0.isNewline || $0 == "\t" ? " " : $0 })
    // Count columns instead of characters, because East Asian letters and emoji occupy two columns.
    let column = DisplayWidth.of(line.prefix(position))
    return line + "\n" + String(repeating: " ", count: column) + "^"
  }
}

extension InvalidPredicateError: LocalizedError, CustomNSError, CustomStringConvertible {
  /// The message, with the format string and the position if there are any.
  public var errorDescription: String? { description }

  /// The message, with the format string and the position if there are any.
  public var description: String {
    guard let format, let position else { return message }
    return "Unable to parse the format string \"\(format)\": \(message) at character \(position)"
  }

  /// `NSCocoaErrorDomain`.
  public static var errorDomain: String { NSCocoaErrorDomain }

  /// 2048, the code of Cocoa's formatting errors.
  public var errorCode: Int { 2048 }

  /// The description, under the key that every `NSError` uses.
  public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: description] }
}
