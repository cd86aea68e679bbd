import Synchronization

/// A cache of the mapping models that were read while searching for one.
///
/// To find a path through its model versions, a program requests the mapping models of many pairs of models. Without
/// the cache, each request would read all mapping models again.
enum MappingFileCache {
  private struct Entry {
    let modified: Date
    let size: Int
    let mappings: [NSEntityMapping]
  }

  // More mapping models than any program has. Beyond the limit, the cache is cleared.
  private static let limit = 512
  private static let entries = Mutex<[String: Entry]>([:])

  private static func notice(_ text: String) { Log.modelNotice(text) }

  /// Returns the mappings in a file. They are shared, so the caller must not change them.
  static func mappings(of url: URL) throws -> [NSEntityMapping] {
    let content = url.appendingPathComponent("xcmapping.xml")
    // If the path is a link, its target is the file that can change.
    let file = (FileManager.default.fileExists(atPath: content.path) ? content : url)
      .resolvingSymlinksInPath()
    // The attributes are read before the content: if the file changes in between, the next request reads it again.
    let facts = try FileManager.default.attributesOfItem(atPath: file.path)
    guard let modified = facts[.modificationDate] as? Date, let size = facts[.size] as? Int else {
      return try MappingFile.read(url, notice: notice)
    }
    let known = entries.withLock { $0[file.path] }
    if let known, known.modified == modified, known.size == size { return known.mappings }
    let mappings = try MappingFile.read(url, notice: notice)
    let entry = Entry(modified: modified, size: size, mappings: mappings)
    entries.withLock { entries in
      if entries.count >= limit { entries = [:] }
      entries[file.path] = entry
    }
    return mappings
  }
}
