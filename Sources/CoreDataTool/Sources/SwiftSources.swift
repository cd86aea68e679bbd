import Foundation
import StoreInspection

/// The Swift sources at a path: a file, or all below a folder in the order of their paths.
struct SwiftSources {
  let files: [URL]

  /// What tools fetch and build, which is nobody's source.
  private static let skipped: Set<String> = ["Pods", "Carthage", "DerivedData", "node_modules"]

  /// - Throws: ``Diagnostic`` where nothing is there, or a folder cannot be read.
  init(at path: String) throws {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw Diagnostic(.data, "there is no file or folder at \(path)")
    }
    let url = URL(fileURLWithPath: path, isDirectory: isFolder.boolValue)
    files = isFolder.boolValue ? try Self.sources(in: url) : [url]
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
      if name.hasPrefix(".") || skipped.contains(name) { return [] }
      let values = try? entry.resourceValues(forKeys: [.isDirectoryKey, .isSymbolicLinkKey])
      if values?.isSymbolicLink == true { return [] }
      if values?.isDirectory == true { return try sources(in: entry) }
      return entry.pathExtension == "swift" ? [entry] : []
    }
  }
}
