import Foundation

/// Finds out what kind of model stands at a place and reads it.
enum ModelFile {
  /// The largest file that is read: far more than any model, and no danger to memory.
  static let largestSize = 256 << 20

  /// Reads the model at a place into an empty model.
  static func read(_ url: URL, into model: NSManagedObjectModel) throws {
    switch try kind(of: url) {
    case .directory:
      switch url.pathExtension {
      case "xcdatamodeld": try readVersionedSource(url, into: model)
      case "momd": try readVersionedCompiled(url, into: model)
      default: try readSource(url, into: model)
      }
    case .file:
      try readFile(url, into: model)
    }
  }

  private enum Kind { case file, directory }

  private static func kind(of url: URL) throws -> Kind {
    var isDirectory: ObjCBool = false
    guard url.isFileURL, FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory)
    else { throw ModelFileError.missing(url) }
    return isDirectory.boolValue ? .directory : .file
  }

  private static func exists(_ url: URL) -> Bool {
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

  /// Reads the current version of a source model with versions.
  private static func readVersionedSource(_ url: URL, into model: NSManagedObjectModel) throws {
    let versions = try names(in: url).filter { $0.hasSuffix(".xcdatamodel") }
    guard let first = versions.first else {
      throw ModelFileError.malformed(url, "it has no version (no '.xcdatamodel') in it.")
    }
    var chosen = first
    let pointer = url.appendingPathComponent(".xccurrentversion")
    if exists(pointer), let name = try currentVersion(pointer) {
      guard versions.contains(name) else {
        throw ModelFileError.malformed(
          url,
          "its current version '\(name)' is not among its versions: "
            + versions.joined(separator: ", ") + ".")
      }
      chosen = name
    }
    try readSource(url.appendingPathComponent(chosen), into: model)
  }

  private static func currentVersion(_ pointer: URL) throws -> String? {
    guard
      let table = try? PropertyListSerialization.propertyList(
        from: try data(of: pointer), format: nil) as? [String: Any]
    else { throw ModelFileError.malformed(pointer, "it is no property list.") }
    return table["_XCCurrentVersionName"] as? String
  }

  /// Reads the current version of a compiled model with versions.
  private static func readVersionedCompiled(_ url: URL, into model: NSManagedObjectModel) throws {
    let versions = try names(in: url).filter { $0.hasSuffix(".mom") }
    guard let first = versions.first else {
      throw ModelFileError.malformed(url, "it has no version (no '.mom') in it.")
    }
    var chosen = first
    let info = url.appendingPathComponent("VersionInfo.plist")
    if exists(info), let name = try VersionInfo(contentsOf: info).currentVersionName {
      let file = name + ".mom"
      guard versions.contains(file) else {
        throw ModelFileError.malformed(
          url,
          "its current version '\(file)' is not among its versions: "
            + versions.joined(separator: ", ") + ".")
      }
      chosen = file
    }
    try readFile(url.appendingPathComponent(chosen), into: model)
  }

  /// Reads a file by its content: XML source, keyed archive of a model, or of Xcode 3's objects.
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
    if try ArchivedModel.isXMLArchive(data) {
      return try ArchivedModel.read(data, from: url, into: model)
    }
    try ContentsReader.read(data, from: url, into: model)
  }

  static func data(of url: URL) throws -> Data {
    do {
      let size = try FileManager.default.attributesOfItem(atPath: url.path)[.size] as? NSNumber
      guard (size?.intValue ?? 0) <= largestSize else {
        throw ModelFileError.malformed(url, "it is larger than \(largestSize >> 20) MB.")
      }
      return try Data(contentsOf: url)
    } catch let error as NSError where error.code == 259 {
      throw error
    } catch {
      throw ModelFileError.unreadable(url, error)
    }
  }

  /// The places of all versions of a model: the model's own place where it has no versions.
  static func versions(of url: URL) -> [URL] {
    let kind = ["momd": ".mom", "xcdatamodeld": ".xcdatamodel"][url.pathExtension]
    guard let kind, let names = try? names(in: url) else { return [url] }
    return names.filter { $0.hasSuffix(kind) }.map { url.appendingPathComponent($0) }
  }

  private static func names(in url: URL) throws -> [String] {
    do {
      return try FileManager.default.contentsOfDirectory(atPath: url.path).sorted()
    } catch {
      throw ModelFileError.unreadable(url, error)
    }
  }
}
