/// Reads models in keyed archives: compiled models, a store's copy of the model, and Xcode 3's sources.
enum ArchivedModel {
  /// Reads an archive into an empty model.
  static func read(_ data: Data, from url: URL?, into model: NSManagedObjectModel) throws {
    let archive: KeyedArchive
    do {
      archive = try KeyedArchive(data: data)
    } catch let failure as BinaryPropertyListReader.Failure {
      throw ModelFileError.malformed(url, failure.reason)
    }
    guard let root = archive.instance(.uid(archive.root)) else {
      throw ModelFileError.malformed(url, "the archive contains no object.")
    }
    switch root.className {
    case "NSManagedObjectModel":
      try ArchivedModelReader(archive: archive, url: url).read(root, into: model)
    case "XDPMModel":
      try ElementsReader(archive: archive, url: url).read(root, into: model)
    default:
      throw ModelFileError.malformed(url, "the archive contains a \(root.className), not a model.")
    }
  }

  /// Returns whether an XML document is a keyed archive rather than a model's source.
  static func isXMLArchive(_ data: Data) throws -> Bool {
    // The root element follows the declaration and the document type, which are at the beginning.
    let head = String(decoding: data.prefix(512), as: UTF8.self)
    return head.contains("<plist")
  }
}
