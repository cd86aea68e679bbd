/// Writes files and folders as a whole: they are put together beside their place and moved there.
enum WholeFiles {
  /// Writes a file.
  static func write(_ data: Data, to url: URL, replacingExisting: Bool) throws {
    try write(to: url, isFolder: false, replacingExisting: replacingExisting) { place in
      try save(data, to: place)
    }
  }

  /// Writes a new file of which all bytes are on the disk when this returns. Where a file or a link is there, it throws.
  private static func save(_ data: Data, to file: URL) throws {
    try data.write(to: file, options: .withoutOverwriting)
    let handle = try FileHandle(forWritingTo: file)
    try handle.synchronize()
    try handle.close()
  }

  /// Writes a folder of files, given by their paths in it.
  ///
  /// Nothing is written below a link in a folder that is replaced: that is refused.
  ///
  /// - Parameter stays: Which files of a folder that is replaced are taken over, by their paths.
  static func write(
    folder files: [String: Data], to url: URL, replacingExisting: Bool,
    keeping stays: (String) -> Bool
  ) throws {
    try write(to: url, isFolder: true, replacingExisting: replacingExisting) { place in
      let bystanders = try Bystanders(in: url, besides: Set(files.keys), where: stays)
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
      try bystanders.copy(to: place)
      for (path, data) in files.sorted(by: { $0.key.isBefore($1.key) }) {
        let file = place.appendingPathComponent(path)
        try FileManager.default.createDirectory(
          at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try save(data, to: file)
      }
    }
  }

  private static func write(
    to url: URL, isFolder: Bool, replacingExisting: Bool, _ fill: (URL) throws -> Void
  ) throws {
    let manager = FileManager.default
    var isDirectory: ObjCBool = false
    let isThere = manager.fileExists(atPath: url.path, isDirectory: &isDirectory)
    guard !isThere || replacingExisting && isDirectory.boolValue == isFolder else {
      throw ModelFileError.exists(url)
    }
    // Beside its place, so that moving it there is a change of names and nothing else.
    let draft = url.deletingLastPathComponent()
      .appendingPathComponent(".\(url.lastPathComponent).\(UUID().uuidString)")
    defer { try? manager.removeItem(at: draft) }
    do {
      try fill(draft)
      if isThere {
        try exchange(draft, url)
      } else {
        try manager.moveItem(at: draft, to: url)
      }
    } catch {
      throw ModelFileError.unwritable(url, error)
    }
  }

  /// Gives two files or folders each other's names.
  ///
  /// Foundation's `replaceItemAt` fails on Linux and may leave nothing at the place.
  private static func exchange(_ draft: URL, _ place: URL) throws {
    if exchangeAtOnce(draft.path, place.path) { return }
    // Where the system cannot, two steps do: for a moment the old one is under its name of refuge.
    let refuge = draft.appendingPathExtension("old")
    try FileManager.default.moveItem(at: place, to: refuge)
    do {
      try FileManager.default.moveItem(at: draft, to: place)
    } catch {
      try? FileManager.default.moveItem(at: refuge, to: place)
      throw error
    }
    try? FileManager.default.removeItem(at: refuge)
  }

  /// Exchanges two names in one step that no reader and no crash can divide; false where the system
  /// has none.
  private static func exchangeAtOnce(_ one: String, _ other: String) -> Bool {
    #if os(Linux)
      typealias Rename =
        @convention(c) (Int32, UnsafePointer<CChar>, Int32, UnsafePointer<CChar>, UInt32) -> Int32
      // The C library has it, the module map that Swift sees does not.
      guard let symbol = dlsym(nil, "renameat2") else { return false }
      let exchange: UInt32 = 2
      return unsafeBitCast(symbol, to: Rename.self)(AT_FDCWD, one, AT_FDCWD, other, exchange) == 0
    #else
      return false
    #endif
  }
}
