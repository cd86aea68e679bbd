/// Finds out what kind of model stands at a place and reads it.
package enum ModelFile {
  /// The largest file that is read: far more than any model, and no danger to memory.
  static let largestSize = 256 << 20

  /// Reads the model at a place into an empty model.
  static func read(_ url: URL, into model: NSManagedObjectModel) throws {
    guard try isFolder(url) else { return try readFile(url, into: model) }
    switch ModelFileForm(of: url) {
    case .xcdatamodeld, .momd:
      let list = try versionList(of: url)
      guard let current = list.versions.first(where: { $0.name == list.current }) else { return }
      try read(current.url, into: model)
    default: try readSource(url, into: model)
    }
  }

  /// Whether a place is a folder.
  ///
  /// - Throws: An error if nothing is there.
  static func isFolder(_ url: URL) throws -> Bool {
    var isDirectory: ObjCBool = false
    guard url.isFileURL, FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory)
    else { throw ModelFileError.missing(url) }
    return isDirectory.boolValue
  }

  static func exists(_ url: URL) -> Bool {
    FileManager.default.fileExists(atPath: url.path)
  }

  /// Reads one version of a source model: `contents`, or Xcode 3's `elements`.
  private static func readSource(_ url: URL, into model: NSManagedObjectModel) throws {
    let contents = url.appendingPathComponent("contents")
    if exists(contents) { return try readFile(contents, into: model) }
    let elements = url.appendingPathComponent("elements")
    if exists(elements) { return try readFile(elements, into: model) }
    throw ModelFileError.malformed(url, "it has neither a 'contents' nor an 'elements' file.")
  }

  /// Reads a file by its content: XML source, keyed archive of a model or of Xcode 3's objects, JSON.
  private static func readFile(_ url: URL, into model: NSManagedObjectModel) throws {
    let data = try data(of: url)
    if data.starts(with: Data("bplist".utf8)) {
      return try ArchivedModel.read(data, from: url, into: model)
    }
    if data.starts(with: Data("momv2$".utf8)) {
      // The optimised twin of a compiled model; the plain one beside it says the same.
      let twin = url.deletingPathExtension().appendingPathExtension("mom")
      guard twin != url, exists(twin) else {
        throw ModelFileError.malformed(
          url, "it is an optimised model (.omo) without the '.mom' that belongs beside it.")
      }
      return try readFile(twin, into: model)
    }
    if ModelJSON.isJSON(data) { return try ModelJSON.read(data, from: url, into: model) }
    if try ArchivedModel.isXMLArchive(data) {
      return try ArchivedModel.read(data, from: url, into: model)
    }
    try ContentsReader.read(data, from: url, into: model)
  }

  package static func data(of url: URL) throws -> Data {
    do {
      return try PlainFile.read(url, limit: largestSize)
    } catch let refusal as PlainFile.Refusal {
      throw ModelFileError.malformed(url, "it is \(refusal.kind.phrase), not a plain file.")
    } catch let error as CocoaError where error.code == .fileReadTooLarge {
      throw ModelFileError.malformed(url, "it is larger than \(largestSize >> 20) MB.")
    } catch {
      throw ModelFileError.unreadable(url, error)
    }
  }

  /// The places of all versions of a model: the model's own place where it has no versions.
  package static func versions(of url: URL) -> [URL] {
    (try? versionList(of: url))?.versions.map(\.url) ?? [url]
  }
}
