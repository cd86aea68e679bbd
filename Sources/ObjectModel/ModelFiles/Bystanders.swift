/// The files that stay when a folder of files is replaced: plain files, and links as links.
struct Bystanders {
  private let folder: String
  /// Their paths in the folder.
  private let paths: [String]

  /// Looks at what is in a folder, and writes nothing. Where there is no folder, nothing stays.
  ///
  /// - Parameters:
  ///   - files: The paths in the folder of the files that are to be written.
  ///   - stays: Which of the other files stay, by their paths.
  /// - Throws: Where a file would be written below a link or another name that is no folder; where something
  ///   would have to stay that cannot be copied, such as a pipe; where a folder cannot be read.
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
      guard kind == .plainFile || kind == .link else {
        throw PlainFile.Refusal(path: "\(folder.path)/\(path)", kind: kind)
      }
      kept.append(path)
    }
    paths = kept
  }

  /// Copies the files that stay to another folder.
  func copy(to new: URL) throws {
    for path in paths {
      let copy = new.appendingPathComponent(path)
      try FileManager.default.createDirectory(
        at: copy.deletingLastPathComponent(), withIntermediateDirectories: true)
      try FileManager.default.copyItem(atPath: "\(folder)/\(path)", toPath: copy.path)
    }
  }

  /// A name that has to be a folder's is something else's.
  private struct NoFolder: LocalizedError {
    let path: String
    let kind: FileKind

    var errorDescription: String? { "\(path) is \(kind.phrase), not a folder; nothing was written" }
  }

  /// Throws where a name on the way to a file is there and is no folder. A link to a folder is none: it may lead to
  /// what is not the model's.
  private static func requireFolders(above file: String, in folder: String) throws {
    var place = folder
    for name in file.split(separator: "/").dropLast() {
      place += "/\(name)"
      guard let kind = FileKind(path: place, followingLinks: false) else { return }
      guard kind == .folder else { throw NoFolder(path: place, kind: kind) }
    }
  }

  /// Calls a block with the path of all that is below a folder and is no folder. Links are not followed.
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
