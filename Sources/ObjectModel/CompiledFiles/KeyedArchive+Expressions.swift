extension KeyedArchive {
  /// Returns the text of an archived expression.
  ///
  /// - Throws: An `NSError` of `NSCocoaErrorDomain`, code 259, with the reason why the expression has no text: a part
  ///   is missing, unknown or nested too deeply, or a constant cannot be written as text.
  package func expressionText(_ value: PropertyListValue?) throws -> String {
    do {
      return try ArchivedPredicate(archive: self).expression(value)
    } catch let failure as ArchivedPredicate.Failure {
      throw ModelFileError.malformed(nil, failure.reason)
    }
  }
}
