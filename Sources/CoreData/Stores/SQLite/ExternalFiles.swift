import Foundation

/// The files of a store's externally kept values, as a set that can be copied.
///
/// They are named by UUIDs, so the files of two stores lie side by side in one folder.
struct ExternalFiles {
  /// What the name of a file ends in that is not whole yet.
  static let draftSuffix = ".new"

  let folder: URL
  private let store: URL

  init(store url: URL) {
    store = url
    folder = ExternalStorage(store: url).folder
  }

  /// Whether another store has its files in the folder, too: one beside this store whose name differs in
  /// what follows the last full stop alone. Then nobody knows whose a file is that this store does not name.
  var isShared: Bool {
    let name = store.deletingPathExtension().lastPathComponent
    let others = try? FileManager.default.contentsOfDirectory(
      at: store.deletingLastPathComponent(), includingPropertiesForKeys: nil)
    return (others ?? []).contains { other in
      guard other.deletingPathExtension().lastPathComponent == name,
        other.lastPathComponent != store.lastPathComponent,
        !["-wal", "-shm", "-journal"].contains(where: other.lastPathComponent.hasSuffix)
      else { return false }
      return (try? StoreFile(other)).map { !$0.isEmpty } ?? false
    }
  }

  /// Makes the folder, as its store's owner's.
  func makeFolder() throws {
    let rights = FileRights(ofFile: store.path)
    for folder in [folder.deletingLastPathComponent(), folder]
    where !FileManager.default.fileExists(atPath: folder.path) {
      // Another process may make it as well.
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      rights?.giveOwner(toFolder: folder.path)
    }
  }

  /// Gives files the rights of the store's.
  func giveRights(to names: [String]) {
    guard let rights = FileRights(ofFile: store.path) else { return }
    for name in names { rights.give(toFile: folder.appendingPathComponent(name).path) }
  }

  /// The names of the files, in byte order; none where there is no folder.
  func names() throws -> [String] {
    try entries().filter { !$0.hasSuffix(Self.draftSuffix) }
  }

  private func entries() throws -> [String] {
    guard FileManager.default.fileExists(atPath: folder.path) else { return [] }
    do {
      return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    } catch {
      throw CoreDataError.make(
        (error as NSError).code, "cannot read \(folder.path): \(error.localizedDescription)",
        [NSFilePathErrorKey: folder.path], cause: error)
    }
  }

  /// The names of files that a process left unfinished when it ended.
  func drafts() throws -> [String] {
    try entries().filter { $0.hasSuffix(Self.draftSuffix) }
  }

  /// Copies the files that the other store does not have. They are whole and on the disk then, so rows may name them.
  ///
  /// - Returns: the names of those that were copied.
  /// - Throws: when one cannot be copied; none is then left behind.
  func copy(to other: ExternalFiles) throws -> [String] {
    let names = try names()
    if names.isEmpty { return [] }
    try other.makeFolder()
    var copied: [String] = []
    do {
      for name in names {
        let target = other.folder.appendingPathComponent(name)
        if FileManager.default.fileExists(atPath: target.path) { continue }
        let source = folder.appendingPathComponent(name)
        do {
          try Self.copy(source, to: target)
        } catch {
          // A save has removed it with its row.
          if !FileManager.default.fileExists(atPath: source.path) { continue }
          throw error
        }
        copied.append(name)
        other.giveRights(to: [name])
      }
      if !copied.isEmpty { try ExternalWriter.synchronize(other.folder) }
    } catch {
      other.remove(copied)
      throw error
    }
    return copied
  }

  /// Copies one file; its name is there when all of it is on the disk.
  private static func copy(_ source: URL, to target: URL) throws {
    let draft = target.path + draftSuffix
    // What a process left that ended while it copied.
    unlink(draft)
    var isDone = false
    defer { if !isDone { unlink(draft) } }
    try FileManager.default.copyItem(atPath: source.path, toPath: draft)
    let file = open(draft, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw ExternalWriter.failure("read", draft) }
    defer { close(file) }
    guard !FileFault.happens(to: .sync), fsync(file) == 0, !FileFault.happens(to: .rename),
      rename(draft, target.path) == 0
    else { throw ExternalWriter.failure("write", draft) }
    isDone = true
  }

  /// The files that the rows of a database name, whichever attributes may have some.
  ///
  /// - Parameter isLeftOut: which columns do not count, by table and column.
  static func named(
    on connection: SQLiteConnection, but isLeftOut: (String, String) -> Bool = { _, _ in false }
  ) throws -> Set<String> {
    var places: [(table: String, column: String)] = []
    let columns = try connection.statement(
      "SELECT m.name, c.name FROM sqlite_schema m, pragma_table_info(m.name) c"
        + " WHERE m.type = 'table' AND m.name GLOB 'Z[^_]*' AND c.type = 'BLOB'")
    defer { columns.reset() }
    while try columns.step() { places.append((columns.text(0), columns.text(1))) }
    var names: Set<String> = []
    for (table, column) in places where !isLeftOut(table, column) {
      let column = SQLText.name(column)
      let values = try connection.statement(
        "SELECT CAST(SUBSTR(\(column), 2, 36) AS TEXT) FROM \(SQLText.name(table))"
          + " WHERE TYPEOF(\(column)) = 'blob' AND LENGTH(\(column)) = 38"
          + " AND SUBSTR(\(column), 1, 1) = x'02'")
      defer { values.reset() }
      while try values.step() {
        let name = values.text(0)
        if UUID(uuidString: name) != nil { names.insert(name) }
      }
    }
    return names
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
