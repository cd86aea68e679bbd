extension KeyedArchive {
  /// Returns the text of an archived expression.
  ///
  /// - Throws: An error that describes what cannot be written as text.
  package func expressionText(_ value: PropertyListValue?) throws -> String {
    do {
      return try ArchivedPredicate(archive: self).expression(value)
    } catch let failure as ArchivedPredicate.Failure {
      throw ModelFileError.malformed(nil, failure.reason)
    }
  }
}
