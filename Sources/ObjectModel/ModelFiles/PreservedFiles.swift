/// The files that are preserved when a folder of files is replaced: plain files and symbolic links.
struct PreservedFiles {
  private let folder: String
  /// The paths of the files in the folder.
  private let paths: [String]

  /// Finds the files to preserve in a folder, without writing anything. If the folder does not exist, there are none.
  ///
  /// - Parameters:
  ///   - files: The paths in the folder of the files that will be written.
  ///   - stays: Returns whether to preserve a file that will not be written, given its path.
  /// - Throws: An error if a file would be written below a link or another item that is not a folder, if an item to
  ///   preserve cannot be copied (such as a pipe), or if a folder cannot be read.
  init(in folder: URL, besides files: Set<String>, where stays: (String) -> Bool) throws {
    self.folder = folder.path
    guard FileKind(path: folder.path) == .folder else {
      paths = []
      return
    }
    for file in files { try Self.requireFolders(above: file, in: folder.path) }
    var kept: [String] = []
    try Self.visit(folder.path) { path, kind in
      guard stays(path), !files.contains(path) else { return }
      // Refuse a pipe or device before anything is written: copying it would block, and leaving it
      // out would delete it.
      guard kind == .plainFile || kind == .link else {
        throw PlainFile.Refusal(path: "\(folder.path)/\(path)", kind: kind)
      }
      kept.append(path)
    }
    paths = kept
  }

  /// Copies the preserved files to another folder.
  func copy(to new: URL) throws {
    for path in paths {
      let copy = new.appendingPathComponent(path)
      try FileManager.default.createDirectory(
        at: copy.deletingLastPathComponent(), withIntermediateDirectories: true)
      try FileManager.default.copyItem(atPath: "\(folder)/\(path)", toPath: copy.path)
    }
  }

  /// The error for an item that must be a folder and is not.
  private struct NoFolder: LocalizedError {
    let path: String
    let kind: FileKind

    var errorDescription: String? { "\(path) is \(kind.phrase), not a folder; nothing was written" }
  }

  /// Throws if an item on the path to a file exists and is not a folder. A link to a folder is not accepted, because it
  /// may lead outside the model.
  private static func requireFolders(above file: String, in folder: String) throws {
    var place = folder
    for name in file.split(separator: "/").dropLast() {
      place += "/\(name)"
      guard let kind = FileKind(path: place, followingLinks: false) else { return }
      guard kind == .folder else { throw NoFolder(path: place, kind: kind) }
    }
  }

  /// Calls a block with the path and the kind of every item below a folder, except for folders. Links are not followed.
  private static func visit(
    _ folder: String, below path: String = "", _ body: (String, FileKind) throws -> Void
  ) throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: "\(folder)/\(path)").sorted() {
      let inner = path.isEmpty ? name : "\(path)/\(name)"
      guard let kind = FileKind(path: "\(folder)/\(inner)", followingLinks: false) else {
        throw CocoaError(.fileReadNoSuchFile, userInfo: [NSFilePathErrorKey: "\(folder)/\(inner)"])
      }
      if kind == .folder {
        try visit(folder, below: inner, body)
      } else {
        try body(inner, kind)
      }
    }
  }
}
