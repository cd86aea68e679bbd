extension NSManagedObjectModel {
  /// The most that a store's model may unpack to: hundreds of times the largest seen.
  private static var largestCache: Int { 256 << 20 }

  /// Reads the model that a store keeps of itself: the content of its table `Z_MODELCACHE`.
  ///
  /// - Throws: An `NSError` of `NSCocoaErrorDomain`, code 259 for damaged data.
  package convenience init(storeModelCache data: Data) throws {
    self.init()
    try read(storeModelCache: data)
  }

  /// Reads a model from a keyed archive, as compiled models and mapping models hold it.
  ///
  /// - Throws: An `NSError` of `NSCocoaErrorDomain`, code 259 for damaged data.
  package convenience init(archive data: Data) throws {
    self.init()
    try ArchivedModel.read(data, from: nil, into: self)
  }

  /// Fills an empty model with what a store keeps of its own.
  final func read(storeModelCache data: Data) throws {
    let archive: Data
    do {
      archive = try Deflate.decompress(data, limit: Self.largestCache)
    } catch let failure as Deflate.Failure {
      throw ModelFileError.malformed(nil, failure.reason)
    }
    try ArchivedModel.read(archive, from: nil, into: self)
  }

  /// The model as a store keeps it of itself: the content of its table `Z_MODELCACHE`.
  ///
  /// Apple's Core Data reads it to migrate a store whose model the program no longer has.
  ///
  /// - Throws: An `NSError` that names the entity and property whose default value, user info or
  ///   predicate cannot be kept in a file.
  package final func storeModelCache() throws -> Data {
    try Deflate.compress(ArchivedModelWriter.archive(self).data())
  }
}
