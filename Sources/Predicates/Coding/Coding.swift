/// What the coding of predicates, expressions and sort descriptors shares.
///
/// Archives use the keys and class names of Apple's Foundation, so that programs on its platforms can read them. Most
/// of these classes do not exist here: classes such as `KeyPathExpression` exist only for their names (`CodingNames`).
enum Coding {
  /// Parts may be nested this deep in an archive. Coders call themselves for each level.
  static let maximumDepth = 500

  /// How deep the part that is being read stands.
  @TaskLocal private static var depth = 0

  /// The key under which an archive says why it holds nothing.
  static let refusalKey = "OpenCoreData.refusal"

  /// Reads an object whose class is one of those that archives of predicates may hold.
  ///
  /// All of them are allowed in each place, and the caller checks which it is: Foundation ends the
  /// program at a class that is not allowed.
  static func object(_ coder: NSCoder, _ key: String) -> Any? {
    guard coder.containsValue(forKey: key) else { return nil }
    guard depth < maximumDepth else {
      fail(coder, "the archive nests deeper than \(maximumDepth) levels")
      return nil
    }
    return $depth.withValue(depth + 1) {
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

  /// Decodes what can be damaged. Where it is, the coder fails with the reason and the result is nil.
  static func decoding<Result>(_ coder: NSCoder, _ decode: () throws -> Result) -> Result? {
    do {
      if let refusal = text(coder, refusalKey) { throw InvalidPredicateError(refusal) }
      return try decode()
    } catch {
      fail(coder, (error as? InvalidPredicateError)?.message ?? error.localizedDescription)
      return nil
    }
  }

  /// Fails the coder with a reason. A coder whose policy is to stop the program does so.
  static func fail(_ coder: NSCoder, _ reason: String) {
    // The first reason is the one to report.
    guard coder.error == nil, coder.decodingFailurePolicy == .setErrorAndReturn else { return }
    coder.failWithError(
      NSError(
        domain: NSCocoaErrorDomain, code: CocoaError.coderReadCorrupt.rawValue,
        userInfo: [NSLocalizedDescriptionKey: "The archive cannot be read: \(reason)."]))
  }

  /// Encodes a part, or, for one that cannot be kept, the reason: a coder that writes has no other
  /// way to say it. Reading such an archive fails with the reason.
  static func encoding(
    _ coder: NSCoder, _ refusal: @autoclosure () -> String?, _ encode: () -> Void
  ) {
    if depth == 0, let reason = refusal() {
      coder.encode(reason as NSString, forKey: refusalKey)
    } else {
      $depth.withValue(depth + 1) { encode() }
    }
  }
}
