extension ModelFile {
  /// The versions of a model with their locations, sorted by name.
  package struct VersionList {
    /// The names, without extensions, and the locations.
    package var versions: [(name: String, url: URL)]
    /// The name of the current version.
    package var current: String
    /// The name of the current version, if a file states it.
    package var statedCurrent: String?
  }

  /// Returns the versions in a folder of versions (`.xcdatamodeld`, `.momd`), and which of them is current. Any other
  /// model is its own only version, even a JSON file that contains several.
  package static func versionList(of url: URL) throws -> VersionList {
    switch ModelFileFormat(of: url) {
    case .xcdatamodeld where try isFolder(url):
      let pointer = url.appendingPathComponent(currentVersionPointer)
      return try versionList(in: url, suffix: ".xcdatamodel") {
        try exists(pointer) ? currentVersion(pointer) : nil
      }
    case .momd where try isFolder(url):
      let info = url.appendingPathComponent(VersionInfo.fileName)
      return try versionList(in: url, suffix: ".mom") {
        try exists(info)
          ? VersionInfo(contentsOf: info).currentVersionName.map { $0 + ".mom" } : nil
      }
    default:
      let name = url.deletingPathExtension().lastPathComponent
      return VersionList(versions: [(name, url)], current: name)
    }
  }

  /// The file in a source model with versions that states the current one.
  static let currentVersionPointer = ".xccurrentversion"

  private static func versionList(
    in url: URL, suffix: String, current: () throws -> String?
  ) throws -> VersionList {
    let names = try names(in: url).filter { $0.hasSuffix(suffix) && !$0.hasPrefix(".") }
    guard let first = names.first else {
      throw ModelFileError.malformed(url, "it contains no version (no '\(suffix)').")
    }
    let stated = try current()
    // A model need not state its current version if that is the first one.
    let chosen = stated ?? first
    guard names.contains(chosen) else {
      throw ModelFileError.malformed(
        url,
        "its current version '\(chosen)' is not among its versions: "
          + names.joined(separator: ", ") + ".")
    }
    return VersionList(
      versions: names.map { (String($0.dropLast(suffix.count)), url.appendingPathComponent($0)) },
      current: String(chosen.dropLast(suffix.count)),
      statedCurrent: stated.map { String($0.dropLast(suffix.count)) })
  }

  private static func currentVersion(_ pointer: URL) throws -> String? {
    let data = try data(of: pointer)
    guard let table = try? CheckedPropertyList.read(data) as? [String: Any] else {
      throw ModelFileError.malformed(pointer, "it is not a property list.")
    }
    return table["_XCCurrentVersionName"] as? String
  }

  private static func names(in url: URL) throws -> [String] {
    do {
      return try FileManager.default.contentsOfDirectory(atPath: url.path).sorted {
        $0.isBefore($1)
      }
    } catch {
      throw ModelFileError.unreadable(url, error)
    }
  }
}
