extension NSManagedObjectModel {
  private static var bytesKey: String { "OpenCoreData.model" }
  private static var refusalKey: String { "OpenCoreData.refusal" }

  /// Fills the model from an archive; false, and the coder told why, where that cannot be done.
  final func decode(from coder: NSCoder) -> Bool {
    do {
      // Foundation here counts a key that is not there as damage.
      if coder.containsValue(forKey: Self.refusalKey) {
        let refusal = coder.decodeObject(of: NSString.self, forKey: Self.refusalKey)
        throw ModelFileError.malformed(nil, "\(refusal ?? "")")
      }
      guard coder.containsValue(forKey: Self.bytesKey),
        let bytes = coder.decodeObject(of: NSData.self, forKey: Self.bytesKey)
      else {
        throw ModelFileError.malformed(nil, "the archive holds no model.")
      }
      try read(storeModelCache: bytes as Data)
      return true
    } catch {
      // A coder with the other policy would stop the program.
      if coder.error == nil, coder.decodingFailurePolicy == .setErrorAndReturn {
        coder.failWithError(error)
      }
      return false
    }
  }

  /// Writes the model into an archive, or the reason why it cannot be: a coder cannot fail here.
  final func encodeBytes(to coder: NSCoder) {
    do {
      // A store's copy of the model leaves out requests and rules that no file can hold; an archive is refused for them.
      _ = try ArchivedModelWriter.archive(self, as: .compiledModel)
      coder.encode(NSData(data: try storeModelCache()), forKey: Self.bytesKey)
    } catch {
      coder.encode(NSString(string: error.localizedDescription), forKey: Self.refusalKey)
    }
  }
}
