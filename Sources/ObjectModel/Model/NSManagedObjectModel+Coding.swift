extension NSManagedObjectModel {
  private static var bytesKey: String { "OpenCoreData.model" }
  private static var refusalKey: String { "OpenCoreData.refusal" }

  /// Fills the model from an archive. If that fails, returns false, and the coder receives the error if its policy is
  /// `setErrorAndReturn`.
  final func decode(from coder: NSCoder) -> Bool {
    do {
      // Foundation reports an error if a decoded key is missing, except on Apple's platforms.
      if coder.containsValue(forKey: Self.refusalKey) {
        let refusal = coder.decodeObject(of: NSString.self, forKey: Self.refusalKey)
        throw ModelFileError.malformed(nil, "\(refusal ?? "")")
      }
      guard coder.containsValue(forKey: Self.bytesKey),
        let bytes = coder.decodeObject(of: NSData.self, forKey: Self.bytesKey)
      else {
        throw ModelFileError.malformed(nil, "the archive contains no model.")
      }
      try read(storeModelCache: bytes as Data)
      return true
    } catch {
      // With the policy `raiseException`, the coder would stop the program.
      if coder.error == nil, coder.decodingFailurePolicy == .setErrorAndReturn {
        coder.failWithError(error)
      }
      return false
    }
  }

  /// Writes the model into an archive, or, if it cannot be archived, the reason, because `encode(with:)` cannot throw.
  final func encodeBytes(to coder: NSCoder) {
    do {
      // A store's copy of the model omits requests and rules that cannot be archived; an archive must not.
      _ = try ArchivedModelWriter.archive(self, as: .compiledModel)
      coder.encode(NSData(data: try storeModelCache()), forKey: Self.bytesKey)
    } catch {
      coder.encode(NSString(string: error.localizedDescription), forKey: Self.refusalKey)
    }
  }
}
