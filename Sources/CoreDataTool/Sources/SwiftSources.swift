import CoreData
import StoreInspection

/// The Swift sources at some paths: files, and the Swift files below folders. They are in the order of the given paths,
/// and those of a folder are sorted by path. Each file is listed once.
///
/// A path may be a link. In folders, links, hidden items and the folders of tools are skipped.
struct SwiftSources {
  let files: [URL]

  /// Folders that tools download or build.
  private static let skipped: Set<String> = ["Pods", "Carthage", "DerivedData", "node_modules"]

  /// - Throws: ``Diagnostic`` if a path does not exist, a file is not a Swift source, or a folder
  ///   cannot be read.
  init(at paths: [String]) throws {
    var known: Set<String> = []
    files = try paths.flatMap(Self.sources).filter { known.insert($0.path).inserted }
  }

  static func isSkipped(_ name: String) -> Bool { name.hasPrefix(".") || skipped.contains(name) }

  /// Returns a file's path: relative to the current directory if the file is below it, otherwise absolute.
  static func shortPath(of url: URL) -> String {
    let here =
      URL(fileURLWithPath: FileManager.default.currentDirectoryPath, isDirectory: true)
      .resolvingSymlinksInPath().path + "/"
    return url.path.hasPrefix(here) ? String(url.path.dropFirst(here.count)) : url.path
  }

  private static func sources(at path: String) throws -> [URL] {
    guard let kind = FileKind(path: path) else {
      throw Diagnostic(.data, "there is no file or folder at '\(path)'")
    }
    let url = URL(fileURLWithPath: path, isDirectory: kind == .folder).resolvingSymlinksInPath()
    if kind == .folder { return try sources(in: url) }
    guard url.pathExtension == "swift" else {
      throw Diagnostic(.data, "'\(path)' is not a Swift source: its name does not end in .swift")
    }
    return [url]
  }

  private static func sources(in folder: URL) throws -> [URL] {
    let entries: [URL]
    do {
      entries = try FileManager.default.contentsOfDirectory(
        at: folder, includingPropertiesForKeys: [.isDirectoryKey, .isSymbolicLinkKey])
    } catch {
      throw Diagnostic(.data, "\(folder.path) cannot be read: \(error.localizedDescription)")
    }
    return try entries.sorted { $0.path < $1.path }.flatMap { entry -> [URL] in
      let name = entry.lastPathComponent
      if isSkipped(name) { return [] }
      let values = try? entry.resourceValues(forKeys: [.isDirectoryKey, .isSymbolicLinkKey])
      // A link may lead out of the folder, or back into it.
      if values?.isSymbolicLink == true { return [] }
      if values?.isDirectory == true { return try sources(in: entry) }
      return entry.pathExtension == "swift" ? [entry] : []
    }
  }
}
