/// Detects the format of a model and reads it.
package enum ModelFile {
  /// The maximum size of a file, which is far more than any model has.
  static let largestSize = 256 << 20

  /// Reads a model file into an empty model.
  static func read(_ url: URL, into model: NSManagedObjectModel) throws {
    guard try isFolder(url) else { return try readFile(url, into: model) }
    switch ModelFileFormat(of: url) {
    case .xcdatamodeld, .momd:
      let list = try versionList(of: url)
      guard let current = list.versions.first(where: { $0.name == list.current }) else { return }
      try read(current.url, into: model)
    default: try readSource(url, into: model)
    }
  }

  /// Returns whether a URL is that of a folder.
  ///
  /// - Throws: An error if nothing exists there, or the URL is not a file URL.
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

  /// Reads a file according to its content: XML source, keyed archive of a model or of Xcode 3's objects, JSON, or an
  /// optimized model with a compiled one beside it.
  private static func readFile(_ url: URL, into model: NSManagedObjectModel) throws {
    let data = try data(of: url)
    if data.starts(with: Data("bplist".utf8)) {
      return try ArchivedModel.read(data, from: url, into: model)
    }
    if data.starts(with: Data("momv2$".utf8)) {
      // An optimized model. The plain compiled model beside it has the same content.
      let twin = url.deletingPathExtension().appendingPathExtension("mom")
      // If an optimized model was renamed to `.mom`, its twin would be the file itself.
      guard twin != url, exists(twin) else {
        throw ModelFileError.malformed(
          url, "it is an optimized model (.omo), and the '.mom' file beside it is missing.")
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

  /// Returns the locations of all versions of a model in a folder; for any other model, and if the versions cannot be
  /// listed, its own location.
  package static func versions(of url: URL) -> [URL] {
    (try? versionList(of: url))?.versions.map(\.url) ?? [url]
  }
}
