extension ModelProblem {
  /// The problem as an `NSError` of `NSCocoaErrorDomain`, code 134060.
  ///
  /// The user info contains the names under `entity` and `property`, and the kind under `kind`.
  public var error: NSError {
    var info: [String: Any] = [
      NSLocalizedDescriptionKey: "The model cannot be used: \(description).",
      "kind": kind.rawValue,
    ]
    info["entity"] = entityName
    info["property"] = propertyName
    return NSError(domain: NSCocoaErrorDomain, code: Self.coreDataErrorCode, userInfo: info)
  }

  /// Returns several problems as one error; nil if there are none.
  ///
  /// A single problem is returned as its own ``error``. Several have the code 1560
  /// (`NSValidationMultipleErrorsError`), their errors under `NSDetailedErrorsKey`, and a description
  /// that lists each of them on a line.
  static func combined(_ problems: [ModelProblem]) -> NSError? {
    guard problems.count > 1 else { return problems.first?.error }
    let lines = problems.map { "\n  \($0.description)" }.joined()
    return NSError(
      domain: NSCocoaErrorDomain, code: multipleErrorsCode,
      userInfo: [
        NSLocalizedDescriptionKey:
          "The model cannot be used; it has \(problems.count) errors:\(lines)",
        detailedErrorsKey: problems.map(\.error),
      ])
  }

  /// The values of `NSCoreDataError`, `NSValidationMultipleErrorsError` and `NSDetailedErrorsKey`, which another module
  /// declares.
  private static let coreDataErrorCode = 134060
  private static let multipleErrorsCode = 1560
  private static let detailedErrorsKey = "NSDetailedErrors"
}
