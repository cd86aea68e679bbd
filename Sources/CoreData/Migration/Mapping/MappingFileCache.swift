import Synchronization

/// Mapping models that were read while one was looked for.
///
/// Programs look for a way through their versions by asking for a mapping between many pairs of models;
/// each question would read all mapping models anew.
enum MappingFileCache {
  private struct Entry {
    let modified: Date
    let size: Int
    let mappings: [NSEntityMapping]
  }

  /// More than any program has; beyond it the cache begins anew.
  private static let limit = 512
  private static let entries = Mutex<[String: Entry]>([:])

  private static func notice(_ text: String) { Log.modelNotice(text) }

  /// The mappings that a file holds; not to be changed, for others get the same.
  static func mappings(of url: URL) throws -> [NSEntityMapping] {
    let content = url.appendingPathComponent("xcmapping.xml")
    // Where the path is a link, its target is the file that changes.
    let file = (FileManager.default.fileExists(atPath: content.path) ? content : url)
      .resolvingSymlinksInPath()
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
