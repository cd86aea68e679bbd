import Foundation

/// The files of a store's externally kept values, as a set that can be copied.
///
/// They are named by UUIDs, so the files of two stores lie side by side in one folder.
struct ExternalFiles {
  /// What the name of a file ends in that is not whole yet.
  static let draftSuffix = ".new"

  let folder: URL

  init(store url: URL) { folder = ExternalStorage(store: url).folder }

  init(folder: URL) { self.folder = folder }

  /// The names of the files, in byte order; none where there is no folder.
  func names() throws -> [String] {
    guard FileManager.default.fileExists(atPath: folder.path) else { return [] }
    return try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { !$0.hasSuffix(Self.draftSuffix) }.sorted()
  }

  /// Copies the files that the other store does not have.
  ///
  /// - Returns: the names of those that were copied.
  /// - Throws: when one cannot be copied; none is then left behind.
  func copy(to other: ExternalFiles) throws -> [String] {
    let names = try names()
    if names.isEmpty { return [] }
    try FileManager.default.createDirectory(
      at: other.folder, withIntermediateDirectories: true)
    var copied: [String] = []
    do {
      for name in names {
        let target = other.folder.appendingPathComponent(name)
        if FileManager.default.fileExists(atPath: target.path) { continue }
        try FileManager.default.copyItem(at: folder.appendingPathComponent(name), to: target)
        copied.append(name)
      }
    } catch {
      other.remove(copied)
      throw error
    }
    return copied
  }

  /// Removes files. What cannot be removed is only waste, and is logged.
  func remove(_ names: [String]) {
    for name in names {
      let file = folder.appendingPathComponent(name)
      do {
        try FileManager.default.removeItem(at: file)
      } catch {
        Log.storeError("\(file.path) could not be removed: \(error.localizedDescription)")
      }
    }
  }
}
