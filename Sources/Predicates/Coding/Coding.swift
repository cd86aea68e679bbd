/// Code shared by the archiving of predicates, expressions and sort descriptors.
///
/// Archives use the keys and class names of Apple's Foundation, so that programs on Apple's platforms can read them.
/// Foundation on other platforms lacks most of these classes, so classes such as `KeyPathExpression` exist only for
/// their names (`CodingNames`).
enum Coding {
  /// The maximum nesting depth of an archive, because coders recurse for each level.
  static let maximumDepth = 500

  /// The nesting depth of the part that is being read or written.
  @TaskLocal private static var depth = 0

  /// The key under which an archive without content records the reason.
  static let refusalKey = "OpenCoreData.refusal"

  /// Reads an object of any class that an archive of a predicate may contain.
  static func object(_ coder: NSCoder, _ key: String) -> Any? {
    guard coder.containsValue(forKey: key) else { return nil }
    guard depth < maximumDepth else {
      fail(coder, "the archive nests deeper than \(maximumDepth) levels")
      return nil
    }
    // A task-local value, because `init(coder:)` has no parameter for the depth.
    return $depth.withValue(depth + 1) {
      // All classes are allowed and the caller checks the actual one, because Foundation stops the
      // program when it meets a class that is not allowed.
      coder.decodeObject(of: CodingNames.allowed, forKey: key)
    }
  }

  static func text(_ coder: NSCoder, _ key: String) -> String? {
    object(coder, key) as? String
  }

  static func expression(_ coder: NSCoder, _ key: String) throws -> NSExpression {
    guard let expression = object(coder, key) as? NSExpression else {
      throw InvalidPredicateError("the archive has no expression under \(key)")
    }
    return expression
  }

  static func expressions(_ coder: NSCoder, _ key: String) throws -> [NSExpression] {
    guard let expressions = object(coder, key) as? [NSExpression] else {
      throw InvalidPredicateError("the archive has no expressions under \(key)")
    }
    return expressions
  }

  static func predicate(_ coder: NSCoder, _ key: String) throws -> NSPredicate {
    guard let predicate = object(coder, key) as? NSPredicate else {
      throw InvalidPredicateError("the archive has no predicate under \(key)")
    }
    return predicate
  }

  /// Decodes data that may be damaged. If it is, the coder fails with the reason and the result is nil.
  static func decoding<Result>(_ coder: NSCoder, _ decode: () throws -> Result) -> Result? {
    do {
      if let refusal = text(coder, refusalKey) { throw InvalidPredicateError(refusal) }
      return try decode()
    } catch {
      fail(coder, (error as? InvalidPredicateError)?.message ?? error.localizedDescription)
      return nil
    }
  }

  /// Makes the coder fail with a reason. If the coder's policy is to stop the program, does nothing, because damaged
  /// data must not stop a program: the nil result is then the only sign of the failure.
  static func fail(_ coder: NSCoder, _ reason: String) {
    // Report only the first reason.
    guard coder.error == nil, coder.decodingFailurePolicy == .setErrorAndReturn else { return }
    coder.failWithError(
      NSError(
        domain: NSCocoaErrorDomain, code: CocoaError.coderReadCorrupt.rawValue,
        userInfo: [NSLocalizedDescriptionKey: "The archive cannot be read: \(reason)."]))
  }

  /// Encodes a part, or, if it cannot be archived, the reason, because `encode(with:)` cannot throw.
  /// Reading such an archive fails with the reason.
  static func encoding(
    _ coder: NSCoder, _ refusal: @autoclosure () -> String?, _ encode: () -> Void
  ) {
    // Check only the root: the check walks the whole tree, so checking each part would take quadratic
    // time.
    if depth == 0, let reason = refusal() {
      coder.encode(reason as NSString, forKey: refusalKey)
    } else {
      $depth.withValue(depth + 1) { encode() }
    }
  }
}
