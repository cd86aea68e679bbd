import CoreData
import StoreInspection

/// The models at a path: one model, or several versions of it.
struct ModelFiles {
  /// The path as given by the user.
  let path: String
  /// The names of the versions in natural order, "Model 2" before "Model 10"; empty if there is only one model.
  let versions: [String]
  /// The name of the version that programs use; nil if there is only one model.
  let currentVersion: String?
  /// Whether the path is a store, which contains a copy of its model.
  let isStore: Bool
  private let content: Content

  private enum Content {
    case store
    /// A folder whose versions can be read independently.
    case folder([String: URL])
    /// The versions by name, and the current one.
    case file([String: NSManagedObjectModel], current: NSManagedObjectModel)
  }

  /// The folders that may contain mapping models for this model: those that contain the model, even
  /// if the path is a link to it or the path of one of its versions.
  var folders: [URL] {
    var folders: [URL] = []
    let given = URL(fileURLWithPath: path).standardizedFileURL
    for place in [given, given.resolvingSymlinksInPath()] {
      let folder = place.deletingLastPathComponent()
      let isVersion = ["xcdatamodeld", "momd"].contains(folder.pathExtension)
      folders += isVersion ? [folder, folder.deletingLastPathComponent()] : [folder]
    }
    return folders.enumerated().filter { folders.firstIndex(of: $0.element) == $0.offset }
      .map(\.element)
  }

  /// Determines what is at a path. If it is a folder or a store, reads no model yet.
  init(at path: String) throws(Diagnostic) {
    self.path = path
    guard let kind = FileKind(path: path) else {
      throw Diagnostic(.data, "there is no model at '\(path)'")
    }
    let url = URL(fileURLWithPath: path)
    // Decide by the content, because a store may have any extension, even that of a model.
    isStore = kind != .folder && (try? NSPersistentStoreCoordinator.isDatabase(at: url)) ?? false
    if kind != .folder, !isStore,
      NSPersistentStoreCoordinator.storeType(ofFileAt: url) != nil
    {
      throw Diagnostic(
        .data, "the store '\(path)' contains no copy of its model",
        details: ["Name the store's model instead."])
    }
    if isStore {
      (versions, currentVersion, content) = ([], nil, .store)
    } else if kind == .folder {
      let list = try reportingStoreErrors { try ModelFile.versionList(of: url) }
      let isVersioned = ModelFileFormat(of: url)?.keepsVersions ?? false
      versions = isVersioned ? Self.sorted(list.versions.map(\.name)) : []
      currentVersion = isVersioned ? list.current : nil
      content = .folder(
        Dictionary(list.versions.map { ($0.name, $0.url) }, uniquingKeysWith: { $1 }))
    } else {
      let model = try reportingStoreErrors { try VersionedModel(contentsOf: url) }
      let isVersioned = ModelFileFormat(of: url)?.keepsVersions ?? (model.versions.count > 1)
      versions = isVersioned ? Self.sorted(model.versions.map(\.name)) : []
      currentVersion = isVersioned ? model.currentVersionName : nil
      content = .file(
        Dictionary(
          model.versions.map { ($0.name, $0.model) }, uniquingKeysWith: { first, _ in first }),
        current: model.currentModel)
    }
  }

  /// Reads the named version, or the current one; `option` is the option that named it.
  func load(version name: String?, option: String = "--version") throws(Diagnostic) -> LoadedModel {
    if let name, versions.isEmpty {
      throw Diagnostic(.usage, "\(option) '\(name)': '\(path)' has no versions")
    }
    if let name, !versions.contains(name) {
      throw Diagnostic.unknownVersion(name, option: option, of: path, among: versions)
    }
    return try read(name ?? currentVersion)
  }

  /// All versions that can be read; unreadable ones are ignored, because the user named none of them.
  var readableVersions: [NSManagedObjectModel] {
    versions.compactMap { try? load(version: $0).model }
  }

  /// Returns the last version with the same hashes as a model; nil if there is none.
  func lastVersion(with model: NSManagedObjectModel) -> String? {
    let hashes = model.entityVersionHashesByName
    return versions.last { (try? load(version: $0))?.model.entityVersionHashesByName == hashes }
  }

  /// Reads a version; nil stands for the only model.
  func read(_ version: String?) throws(Diagnostic) -> LoadedModel {
    var origin: ModelSource?
    let model: NSManagedObjectModel
    switch content {
    case .store:
      let (chosen, source, warnings) = try reportingStoreErrors {
        try OpenedStore.chooseModelToRead(URL(fileURLWithPath: path), named: nil)
      }
      (model, origin) = (chosen, source)
      for warning in warnings where source == .inferred {
        Console.current.note("warning: \(warning.withoutFullStop.onOneLine)\n")
      }
    case .folder(let places):
      let place = version.flatMap { places[$0] } ?? URL(fileURLWithPath: path)
      model = try reportingStoreErrors { try NSManagedObjectModel(validating: place) }
    case .file(let models, let current):
      model = version.flatMap { models[$0] } ?? current
    }
    return LoadedModel(
      path: path, model: model, version: version, versions: versions,
      currentVersion: currentVersion, origin: origin)
  }

  private static func sorted(_ names: [String]) -> [String] {
    names.sorted { one, other in
      switch one.compare(other, options: .numeric) {
      case .orderedAscending: true
      case .orderedDescending: false
      case .orderedSame: one.utf8.lexicographicallyPrecedes(other.utf8)
      }
    }
  }
}
