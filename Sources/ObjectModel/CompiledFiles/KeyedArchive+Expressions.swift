extension KeyedArchive {
  /// Returns an archived expression by parsing its text. Constants without an exact literal are arguments of the text.
  ///
  /// - Throws: An `NSError` of `NSCocoaErrorDomain`, code 259, with the reason why the expression has no text: a part
  ///   is missing, unknown or nested too deeply, or a constant cannot be written as text.
  func parsedExpression(_ value: PropertyListValue?) throws -> Predicates.NSExpression {
    let constants = ArchivedPredicate.FormatConstants()
    do {
      let text = try ArchivedPredicate(archive: self, constants: constants).expression(value)
      return try NSExpression(validating: text, arguments: constants.values)
    } catch let failure as ArchivedPredicate.Failure {
      throw ModelFileError.malformed(nil, failure.reason)
    }
  }
}
