/// Calls methods by name: `FUNCTION(name, "uppercaseString")`.
///
/// Compared to Apple's Core Data: without Objective-C, only three kinds of methods can be called: methods that this
/// module implements, methods of a ``MessageReceiving`` object, and methods without arguments that are keys of the
/// receiver.
package enum MessageEvaluator {
  /// Returns the result of a method; nil if the receiver is nil.
  static func value(
    of selector: String, to receiver: Any?, arguments: [Any?], nilRule: NilRule
  ) throws -> Any? {
    guard let receiver = flattenOptional(receiver), !(receiver is NSNull) else { return nil }
    switch (selector, arguments.count) {
    case ("valueForKey:", 1), ("objectForKey:", 1), ("objectForKeyedSubscript:", 1):
      guard case .text(let key) = Scalar(arguments[0]) else { break }
      return try KeyPathEvaluator.value(of: receiver, forKey: key, nilRule: nilRule)
    case ("valueForKeyPath:", 1):
      guard case .text(let path) = Scalar(arguments[0]) else { break }
      return try KeyPathEvaluator.value(of: receiver, forKeyPath: path, rules: .predicate(nilRule))
    case ("class", 0):
      guard let found = type(of: receiver) as? AnyClass else { break }
      return found
    case ("componentsSeparatedByString:", 1):
      guard case .text(let text) = Scalar(receiver), case .text(let mark) = Scalar(arguments[0])
      else { break }
      return text.components(separatedBy: mark)
    default: break
    }
    // This check precedes those for collections and keys, so that an object's own method has
    // priority.
    if let receiver = receiver as? any MessageReceiving,
      let answer = try receiver.answer(to: selector, arguments: arguments)
    {
      return answer.value
    }
    if let collection = KeyValueCollection(receiver),
      let answer = try answer(of: collection, to: selector, arguments)
    {
      return answer.value
    }
    if arguments.isEmpty {
      return try KeyPathEvaluator.value(of: receiver, forKey: selector, nilRule: nilRule)
    }
    return try scalarValue(
      of: selector, to: Scalar(receiver), arguments: arguments.map(Scalar.init), nilRule: nilRule
    ).boxed
  }

  /// Returns the result of a collection's method; nil for an unknown method.
  private static func answer(
    of collection: KeyValueCollection, to selector: String, _ arguments: [Any?]
  ) throws -> MessageAnswer? {
    let elements = collection.elements
    let value: Any?
    switch (selector, arguments.count) {
    case ("count", 0): value = elements.count
    case ("firstObject", 0), ("anyObject", 0): value = elements.first ?? NSNull()
    case ("lastObject", 0): value = elements.last ?? NSNull()
    case ("allObjects", 0), ("array", 0): value = elements
    case ("objectAtIndex:", 1), ("objectAtIndexedSubscript:", 1):
      // Nil for an index beyond the last element.
      value = try IndexEvaluator.value(of: elements, at: arguments[0])
    case ("containsObject:", 1):
      value = elements.contains { ValueEquality.areEqual($0, arguments[0]) }
    case ("indexOfObject:", 1):
      value = elements.firstIndex { ValueEquality.areEqual($0, arguments[0]) } ?? Int.max
    default: return nil
    }
    return MessageAnswer(value)
  }
}
