extension VersionedModel {
  /// The model in the JSON form that ``write(to:replacingExisting:)`` writes.
  ///
  /// - Throws: An `NSError` of `NSCocoaErrorDomain`, code 134060, for something in the model that the
  ///   form cannot hold.
  package func json() throws -> Data { try ModelJSON.data(of: self, for: nil) }
}
