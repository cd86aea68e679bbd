import CoreData

/// The place of a model, and what is there: one model, or several versions of it.
struct ModelFiles {
  /// One version of a model.
  struct Version: Equatable {
    /// Its name, without the ending of its file.
    var name: String
    var url: URL
  }

  let path: String
  /// The versions in the order a reader expects, "Model 2" before "Model 10"; empty where the place
  /// holds one model only.
  let versions: [Version]
  /// The name of the version that programs use; nil where the place holds one model only.
  let currentVersion: String?
  private let isStore: Bool

  /// Looks what is at a path, and reads no model yet.
  init(at path: String) throws(Diagnostic) {
    self.path = path
    var isDirectory: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
      throw Diagnostic(.data, "there is no model at '\(path)'")
    }
    let url = URL(fileURLWithPath: path)
    isStore = !isDirectory.boolValue && Self.isDatabase(url)
    switch (isDirectory.boolValue, url.pathExtension) {
    case (true, "xcdatamodeld"):
      versions = try Self.versions(in: url, ending: "xcdatamodel")
      currentVersion = Self.name(
        in: url.appendingPathComponent(".xccurrentversion"), key: "_XCCurrentVersionName",
        among: versions)
    case (true, "momd"):
      versions = try Self.versions(in: url, ending: "mom")
      currentVersion = Self.name(
        in: url.appendingPathComponent("VersionInfo.plist"),
        key: "NSManagedObjectModel_CurrentVersionName", among: versions)
    default:
      versions = []
      currentVersion = nil
    }
  }

  /// Reads the current version, or that of a name.
  func load(version name: String?) throws(Diagnostic) -> LoadedModel {
    guard !versions.isEmpty else {
      if let name {
        throw Diagnostic(.usage, "--version '\(name)': '\(path)' has no versions")
      }
      return try loadSingle()
    }
    if let name {
      guard let version = versions.first(where: { $0.name == name }) else {
        throw Diagnostic.unknownVersion(name, of: path, among: versions.map(\.name))
      }
      return loaded(try Self.read(version.url), version.name)
    }
    // The library finds the current version, and says what is wrong with the pointer to it.
    return loaded(try Self.read(URL(fileURLWithPath: path)), currentVersion)
  }

  /// Reads every version; the one model where there are none.
  func loadAll() throws(Diagnostic) -> [LoadedModel] {
    guard !versions.isEmpty else { return [try loadSingle()] }
    var result: [LoadedModel] = []
    for version in versions { result.append(loaded(try Self.read(version.url), version.name)) }
    return result
  }

  private func loaded(_ model: NSManagedObjectModel, _ version: String?) -> LoadedModel {
    LoadedModel(
      path: path, model: model, version: version, versions: versions.map(\.name),
      currentVersion: currentVersion, origin: nil)
  }

  private func loadSingle() throws(Diagnostic) -> LoadedModel {
    let url = URL(fileURLWithPath: path)
    var origin: ModelSource?
    let model: NSManagedObjectModel
    if isStore {
      let (chosen, source) = try reportingStoreErrors {
        try OpenedStore.chooseModel(url, named: nil)
      }
      (model, origin) = (chosen, source)
    } else {
      model = try Self.read(url)
    }
    return LoadedModel(
      path: path, model: model, version: nil, versions: [], currentVersion: nil, origin: origin)
  }

  private static func read(_ url: URL) throws(Diagnostic) -> NSManagedObjectModel {
    try reportingStoreErrors { try NSManagedObjectModel(validating: url) }
  }

  private static func isDatabase(_ url: URL) -> Bool {
    guard let file = try? FileHandle(forReadingFrom: url) else { return false }
    defer { try? file.close() }
    return (try? file.read(upToCount: 16)) == Data("SQLite format 3\0".utf8)
  }

  private static func versions(in url: URL, ending: String) throws(Diagnostic) -> [Version] {
    let names = try reportingStoreErrors {
      try FileManager.default.contentsOfDirectory(atPath: url.path)
    }
    return names.filter { $0.hasSuffix("." + ending) }
      .map {
        Version(
          name: String($0.dropLast(ending.count + 1)), url: url.appendingPathComponent($0))
      }
      .sorted { one, other in
        switch one.name.compare(other.name, options: .numeric) {
        case .orderedAscending: true
        case .orderedDescending: false
        case .orderedSame: one.name.utf8.lexicographicallyPrecedes(other.name.utf8)
        }
      }
  }

  private static func name(in file: URL, key: String, among versions: [Version]) -> String? {
    let table =
      (try? Data(contentsOf: file)).flatMap {
        try? PropertyListSerialization.propertyList(from: $0, format: nil) as? [String: Any]
      }
    let name = (table?[key] as? String).map {
      $0.hasSuffix(".xcdatamodel") ? String($0.dropLast(".xcdatamodel".count)) : $0
    }
    // Without a pointer the library takes the first by name.
    return name ?? versions.map(\.name).min { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }
}
