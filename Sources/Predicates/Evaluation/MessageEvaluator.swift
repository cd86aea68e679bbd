import Foundation

/// Calls methods by name, `FUNCTION(name, "uppercaseString")`.
///
/// Compared to Apple's Core Data: without Objective-C only the methods named here can be called,
/// and those without arguments that are keys of the receiver.
enum MessageEvaluator {
  /// The result; nil for a receiver that is nil.
  static func value(of selector: String, to receiver: Any?, arguments: [Any?]) throws -> Any? {
    guard let receiver = flattenOptional(receiver), !(receiver is NSNull) else { return nil }
    if arguments.isEmpty { return try KeyPathReader.value(of: receiver, forKey: selector) }
    let scalar = Scalar(receiver)
    switch (selector, arguments.count) {
    case ("valueForKey:", 1), ("valueForKeyPath:", 1), ("objectForKey:", 1):
      guard case .text(let key) = Scalar(arguments[0]) else { break }
      return try KeyPathReader.value(of: receiver, forKeyPath: key)
    case ("objectAtIndex:", 1):
      return try IndexEvaluator.value(of: receiver, at: arguments[0])
    case ("stringByAppendingString:", 1):
      guard case .text(let text) = scalar, case .text(let other) = Scalar(arguments[0]) else {
        break
      }
      return text + other
    case ("dateByAddingTimeInterval:", 1):
      guard case .date(let date) = scalar, let seconds = Scalar(arguments[0]).doubleValue else {
        break
      }
      return date.addingTimeInterval(seconds)
    case ("timeIntervalSinceDate:", 1):
      guard case .date(let date) = scalar, case .date(let other) = Scalar(arguments[0]) else {
        break
      }
      return date.timeIntervalSince(other)
    default: break
    }
    throw InvalidPredicateError(
      "\(selector) of a value of type \(type(of: receiver)) cannot be called by name")
  }
}
