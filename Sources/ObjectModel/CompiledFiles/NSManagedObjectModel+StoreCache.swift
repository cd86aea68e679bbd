extension NSManagedObjectModel {
  /// The maximum decompressed size of a store's copy of the model, hundreds of times that of the largest known model.
  private static var largestCache: Int { 256 << 20 }

  /// Reads a store's copy of its model: the content of its table `Z_MODELCACHE`.
  ///
  /// - Throws: An `NSError` of `NSCocoaErrorDomain`, code 259 for damaged data and 134060 for an inconsistent model.
  package convenience init(storeModelCache data: Data) throws {
    self.init()
    try read(storeModelCache: data)
  }

  /// Reads a model from a keyed archive, the format of compiled models and of the models in mapping models.
  ///
  /// - Throws: An `NSError` of `NSCocoaErrorDomain`, code 259 for damaged data and 134060 for an inconsistent model.
  package convenience init(archive data: Data) throws {
    self.init()
    try ArchivedModel.read(data, from: nil, into: self)
  }

  /// Fills an empty model with a store's copy of its model.
  final func read(storeModelCache data: Data) throws {
    let archive: Data
    do {
      archive = try Deflate.decompress(data, limit: Self.largestCache)
    } catch let failure as Deflate.Failure {
      throw ModelFileError.malformed(nil, failure.reason)
    }
    try ArchivedModel.read(archive, from: nil, into: self)
  }

  /// Returns the copy of the model to write into a store: the content of the table `Z_MODELCACHE`.
  ///
  /// Apple's Core Data uses the copy to migrate a store whose model the program no longer contains.
  ///
  /// Parts that cannot be archived are left out: default values, entries of user infos, validation rules, fetch
  /// requests, indexes, the conditions of derived attributes, and the expressions for Spotlight.
  ///
  /// - Throws: An `NSError` that identifies a property of an unknown class; a ``Deflate/Failure`` if the data cannot be
  ///   compressed.
  package final func storeModelCache() throws -> Data {
    try Deflate.compress(ArchivedModelWriter.archive(self).data())
  }
}
