import Foundation
import ObjectModel

/// Whether the files of externally kept values are there, and no others.
struct ExternalFileCheck: StoreCheck {
  /// Files are written before the save that names them; so long they may be about to be named.
  private static let leastAge: TimeInterval = 24 * 60 * 60

  func problems(in store: VerifiedStore) throws -> [StoreProblem] {
    let files = ExternalFiles(store: store.url)
    var content = ExternalFiles.Content()
    var problems: [StoreProblem] = []
    do { content = try files.content() } catch {
      problems.append(StoreProblem(.externalFolder, count: 1, error.localizedDescription))
    }
    let present = Set(content.files)
    var named: Set<String> = []
    for place in try store.places {
      guard case .attribute(let column) = place.mapping, ExternalStorage.isMarked(place.slot)
      else { continue }
      let name = SQLText.name(column)
      let statement = try store.connection.statement(
        "SELECT Z_PK, CAST(SUBSTR(\(name), 2, 36) AS TEXT) FROM \(place.table)"
          + " WHERE Z_ENT IN \(place.numbers) AND TYPEOF(\(name)) = 'blob'"
          + " AND LENGTH(\(name)) = 38 AND SUBSTR(\(name), 1, 1) = x'02' ORDER BY Z_PK")
      defer { statement.reset() }
      var missing: [String] = []
      while try statement.step() {
        let file = statement.text(1)
        guard ExternalFiles.isName(file) else { continue }
        named.insert(file)
        if !present.contains(file) { missing.append("\(statement.integer(0))") }
      }
      if missing.isEmpty { continue }
      let examples = missing.prefix(5).joined(separator: ", ") + (missing.count > 5 ? ", …" : "")
      problems.append(
        StoreProblem(
          .missingFile, place.layout, place.slot, count: missing.count,
          "\(missing.count) values are in files that are not in \(files.folder.path)"
            + " (keys \(examples))"))
    }
    problems += strangers(content.strangers, files)
    if files.isShared { return problems }
    return try problems + unused(present.subtracting(named).sorted() + content.drafts, files)
  }

  private func strangers(_ names: [String], _ files: ExternalFiles) -> [StoreProblem] {
    if names.isEmpty { return [] }
    return [
      StoreProblem(
        .foreignFile, count: names.count,
        "\(names.count) entries of \(files.folder.path) are no plain files named by a UUID, and are left"
          + " alone: \(names.prefix(3).joined(separator: ", "))\(names.count > 3 ? ", …" : "")")
    ]
  }

  private func unused(_ names: [String], _ files: ExternalFiles) throws -> [StoreProblem] {
    guard !names.isEmpty, let folder = try files.open() else { return [] }
    func isOld(_ name: String) -> Bool {
      guard let date = folder.modificationDate(name) else { return false }
      return Date().timeIntervalSince(date) > Self.leastAge
    }
    let old = names.filter(isOld)
    let young = names.filter { !old.contains($0) }
    func problem(_ names: [String], _ remark: String, _ removed: [String]) -> [StoreProblem] {
      if names.isEmpty { return [] }
      return [
        StoreProblem(
          .unusedFile, count: names.count,
          "\(names.count) files in \(files.folder.path) belong to no row\(remark):"
            + " \(names.prefix(3).joined(separator: ", "))\(names.count > 3 ? ", …" : "")",
          unusedFiles: removed)
      ]
    }
    return problem(old, "", old) + problem(young, " and are less than a day old", [])
  }
}
