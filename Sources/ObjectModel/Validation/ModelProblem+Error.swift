extension ModelProblem {
  /// The problem as an `NSError` of `NSCocoaErrorDomain`, code 134060.
  ///
  /// The user info contains the names under `entity` and `property`, and the kind under `kind`.
  public var error: NSError { makeError(preventing: .use) }

  /// What the problems of a model prevent.
  enum Prevented: String {
    /// Any use of the model.
    case use = "The model cannot be used"
    /// Only the writing of its stores.
    case writing = "Stores of the model can only be read (NSReadOnlyPersistentStoreOption)"
  }

  private func makeError(preventing prevented: Prevented) -> NSError {
    var info: [String: Any] = [
      NSLocalizedDescriptionKey: "\(prevented.rawValue): \(description).",
      "kind": kind.rawValue,
    ]
    info["entity"] = entityName
    info["property"] = propertyName
    return NSError(domain: NSCocoaErrorDomain, code: Self.coreDataErrorCode, userInfo: info)
  }

  /// Returns several problems as one error; nil if there are none.
  ///
  /// A single problem is returned as an error with the code 134060. Several have the code 1560
  /// (`NSValidationMultipleErrorsError`), their errors under `NSDetailedErrorsKey`, and a description
  /// that lists each of them on a line.
  static func combined(_ problems: [ModelProblem], preventing prevented: Prevented) -> NSError? {
    guard problems.count > 1 else { return problems.first?.makeError(preventing: prevented) }
    let lines = problems.map { "\n  \($0.description)" }.joined()
    return NSError(
      domain: NSCocoaErrorDomain, code: multipleErrorsCode,
      userInfo: [
        NSLocalizedDescriptionKey:
          "\(prevented.rawValue); \(prevented == .use ? "it" : "the model") has"
          + " \(problems.count) errors:\(lines)",
        detailedErrorsKey: problems.map { $0.makeError(preventing: prevented) },
      ])
  }

  /// The values of `NSCoreDataError`, `NSValidationMultipleErrorsError` and `NSDetailedErrorsKey`, which another module
  /// declares.
  private static let coreDataErrorCode = 134060
  private static let multipleErrorsCode = 1560
  private static let detailedErrorsKey = "NSDetailedErrors"
}
