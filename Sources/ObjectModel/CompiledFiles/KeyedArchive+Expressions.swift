extension KeyedArchive {
  /// Returns an archived expression by parsing its text. Constants without an exact literal are arguments of the text.
  ///
  /// - Throws: An error that describes what cannot be written as text.
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
