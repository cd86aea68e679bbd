import CoreData

extension Diagnostic {
  /// Makes a diagnostic from an error of the library.
  ///
  /// The exit code is 64 for an invalid request and for a value that violates the model's rules, and 65 for any other
  /// error, such as one in the store or the model, whichever command reads it.
  package init(_ error: any Error) {
    if let diagnostic = error as? Diagnostic {
      self = diagnostic
      return
    }
    let error = error as NSError
    let message = error.localizedDescription.withoutFullStop
    // Check this before the codes, because errors of a model's file and of requests share some codes.
    if Self.isOfModel(error) {
      self.init(.data, message)
      return
    }
    let errors = error.userInfo[NSDetailedErrorsKey] as? [NSError] ?? []
    switch (error.domain, error.code) {
    case (NSCocoaErrorDomain, NSPersistentStoreIncompatibleVersionHashError):
      self.init(
        .data, message,
        details: ["Omit --model to read the store with the copy of its model that it contains."]
      )
    // This code is within the range of the next case.
    case (NSCocoaErrorDomain, NSValidationMultipleErrorsError):
      self.init(
        .usage, "\(errors.count) values violate the model's rules; nothing was changed",
        details: Self.lines(errors))
    case (NSCocoaErrorDomain, NSManagedObjectValidationError...NSValidationInvalidURIError):
      self.init(.usage, "\(message); nothing was changed")
    // 2048 is the code of an invalid predicate (`InvalidPredicateError`).
    case (NSCocoaErrorDomain, NSCoreDataError), (NSCocoaErrorDomain, 2048):
      self.init(.usage, message)
    case (NSCocoaErrorDomain, NSManagedObjectMergeError):
      self.init(.data, "another process changed the same rows; nothing was changed")
    case (NSCocoaErrorDomain, NSInferredMappingModelError):
      var known: Set<String> = []
      let advice = errors.compactMap(\.localizedRecoverySuggestion)
        .filter { known.insert($0).inserted }
      self.init(.data, message, details: advice.map { "  → " + $0 })
    default:
      let advice = error.userInfo[NSLocalizedRecoverySuggestionErrorKey] as? String
      self.init(.data, message, details: advice.map { ["  → " + $0] } ?? [])
    }
  }

  /// Returns whether an error says that a model is invalid, as opposed to a request.
  private static func isOfModel(_ error: NSError) -> Bool {
    if error.isOfModelFile { return true }
    let details = error.userInfo[NSDetailedErrorsKey] as? [NSError] ?? [error]
    return details.contains {
      ($0.userInfo["kind"] as? String).flatMap(ModelProblem.Kind.init(rawValue:)) != nil
    }
  }

  private static func lines(_ errors: [NSError]) -> [String] {
    let shown = 10
    let lines = errors.prefix(shown).map { "  " + $0.localizedDescription }
    return errors.count > shown ? lines + ["  and \(errors.count - shown) more"] : lines
  }
}

/// Runs a block and converts any error that it throws to a ``Diagnostic``.
package func reportingStoreErrors<Result>(_ body: () throws -> Result) throws(Diagnostic) -> Result
{
  do {
    return try body()
  } catch {
    throw Diagnostic(error)
  }
}

extension String {
  /// The text without its final full stop, because the tool's messages have none.
  package var withoutFullStop: String {
    hasSuffix(".") && !hasSuffix("..") ? String(dropLast()) : self
  }
}
