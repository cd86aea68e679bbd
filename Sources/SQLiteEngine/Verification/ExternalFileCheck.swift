import StoreEngine

/// Checks that each value file that a row refers to exists and is readable, and that the folder contains nothing else.
struct ExternalFileCheck: StoreCheck {
  /// The age from which an unused file may be removed. A save writes its files before the rows that refer to them, so a
  /// newer file may belong to a save that is still running.
  private static let leastAge: TimeInterval = 24 * 60 * 60

  func problems(in store: VerifiedStore) throws -> [StoreProblem] {
    let files = ExternalFiles(store: store.url)
    var content = ExternalFiles.Content()
    var problems: [StoreProblem] = []
    do { content = try files.content() } catch {
      problems.append(StoreProblem(.externalFolder, count: 1, error.localizedDescription))
    }
    problems += try values(in: store, files, Set(content.files))
    problems += foreignFileProblems(content.foreignNames, files)
    if files.isShared { return problems }
    let named = try ExternalFiles.named(on: store.connection)
    let unused = content.files.filter { !named.contains($0) } + content.drafts
    return try problems + self.unused(unused, files, store)
  }

  /// A value whose file is missing or unreadable.
  private struct LostValue {
    let property: VerifiedStore.StoredProperty
    let key: Int64
    let file: String
    /// Why the file is unreadable; nil if it is missing.
    var reason: String?
  }

  /// Returns the problems of values whose files are missing or unreadable.
  private func values(
    in store: VerifiedStore, _ files: ExternalFiles, _ present: Set<String>
  ) throws -> [StoreProblem] {
    let folder = (try? files.open()) ?? nil
    var missing: [LostValue] = []
    var unreadable: [LostValue] = []
    for property in try store.storedProperties {
      guard case .attribute(let column) = property.mapping, property.slot.mayBeExternal
      else { continue }
      let name = SQLText.name(column)
      try store.connection.run(
        "SELECT Z_PK, \(name) FROM \(property.table) WHERE Z_ENT IN \(property.numbers)"
          + " AND \(ExternalFiles.mayReferToFile(name)) ORDER BY Z_PK"
      ) { statement in
        guard let file = ExternalStorage.fileName(in: statement.blobBytes(1)) else { return }
        var value = LostValue(property: property, key: statement.integer(0), file: file)
        if !ExternalFiles.isPresent(file, among: present) {
          missing.append(value)
        } else if let folder {
          value.reason = files.readError(of: file, in: folder)
          if value.reason != nil { unreadable.append(value) }
        }
      }
    }
    let lost = try lost(Set(missing.map(\.file)), in: store, folder)
    missing.removeAll { !lost.contains($0.file) }
    return Self.problems(.missingFile, missing) { _ in
      CountedText(
        "is in a file that is", "are in files that are", " not in \(files.folder.path)")
    }
      + Self.problems(.unreadableFile, unreadable) { value in
        CountedText(
          "is in a file that cannot be read:", "are in files that cannot be read, such as",
          " \(value.file): \(value.reason ?? "")")
      }
  }

  /// Returns one problem for each property.
  ///
  /// - Parameter phrase: Describes the problem of some values. Its argument is the first value.
  private static func problems(
    _ kind: StoreFinding.Kind, _ values: [LostValue], _ phrase: (LostValue) -> CountedText
  ) -> [StoreProblem] {
    Dictionary(grouping: values) { "\($0.property.layout.name).\($0.property.slot.name)" }
      .sorted { $0.key < $1.key }.map { _, values in
        let (first, property) = (values[0], values[0].property)
        let examples =
          values.prefix(5).map { "\($0.key)" }.joined(separator: ", ")
          + (values.count > 5 ? ", …" : "")
        return StoreProblem(
          kind, property.layout, property.slot, count: values.count,
          phrase(first).after("value", "values").text(values.count)
            + " \(VerifiedStore.keys(examples))")
      }
  }

  /// Returns the missing files that are lost. Omits files that are missing because a save has removed their rows since
  /// the verification began.
  private func lost(
    _ names: Set<String>, in store: VerifiedStore, _ folder: FolderHandle?
  ) throws -> Set<String> {
    // Each name is looked up in the folder, because the file system may ignore case.
    let missing = names.filter { folder?.kind($0) != .plainFile }
    // While this connection has a write transaction, no save can have removed a row.
    if missing.isEmpty || store.connection.isWriting { return missing }
    // Names are never reused, so if rows refer to a file now, they also referred to it when it was found missing.
    let named = try SQLiteStore.withReadConnection(to: store.url) {
      try ExternalFiles.named(on: $0)
    }
    return missing.filter { named.contains($0) }
  }

  private func foreignFileProblems(_ names: [String], _ files: ExternalFiles) -> [StoreProblem] {
    if names.isEmpty { return [] }
    return [
      StoreProblem(
        .foreignFile, count: names.count,
        CountedText("entry", "entries", " of \(files.folder.path) ").text(names.count)
          + (names.count == 1
            ? "is not a plain file with a UUID as its name, and is"
            : "are not plain files with a UUID as their name, and are")
          + " ignored: \(names.prefix(3).joined(separator: ", "))\(names.count > 3 ? ", …" : "")")
    ]
  }

  private func unused(
    _ names: [String], _ files: ExternalFiles, _ store: VerifiedStore
  ) throws -> [StoreProblem] {
    guard !names.isEmpty, let folder = try files.open() else { return [] }
    func isOld(_ name: String) -> Bool {
      guard let date = folder.modificationDate(name) else { return false }
      return Date().timeIntervalSince(date) > Self.leastAge
    }
    let old = names.filter(isOld)
    let recent = names.filter { !old.contains($0) }
    func problem(
      _ kind: StoreFinding.Kind, _ names: [String], _ remark: String, _ removed: [String]
    ) -> [StoreProblem] {
      if names.isEmpty { return [] }
      return [
        StoreProblem(
          kind, count: names.count,
          CountedText("file", "files", " in \(files.folder.path) ").text(names.count)
            + "\(names.count == 1 ? "is" : "are") not used by any row\(remark):"
            + " \(names.prefix(3).joined(separator: ", "))\(names.count > 3 ? ", …" : "")",
          unusedFiles: removed)
      ]
    }
    let remains = store.isModelInferred ? ", but without the store's model this is not certain" : ""
    return problem(.unusedFile, old, remains, store.isModelInferred ? [] : old)
      + problem(
        .recentFile, recent, " and \(recent.count == 1 ? "is" : "are") less than a day old", [])
  }
}
