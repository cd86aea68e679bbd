extension VersionedModel {
  /// Returns the model in the JSON format that ``write(to:replacingExisting:)`` writes.
  ///
  /// - Throws: An `NSError` of `NSCocoaErrorDomain`, code 134060, if the format cannot represent a part of the model.
  package func json() throws -> Data { try ModelJSON.data(of: self, for: nil) }
}
