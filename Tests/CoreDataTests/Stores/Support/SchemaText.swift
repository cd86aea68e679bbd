import Foundation

/// The statements in a store's `sqlite_master`, by name, without those that are not derived from
/// the model.
struct SchemaText {
  let statements: [String: String]

  init(_ database: PlainDatabase) throws {
    var statements: [String: String] = [:]
    for row in try database.values("SELECT name, sql FROM sqlite_master") {
      guard let name = row[0].text, let sql = row[1].text, !Self.isForeign(name) else { continue }
      statements[name] = Self.normal(sql)
    }
    self.statements = statements
  }

  /// Returns whether a name is that of a table of persistent history, or of a part that the Photos
  /// program itself makes: triggers `ZT_…`, indexes `RADAR_…`, and R-trees that its models do not
  /// contain.
  private static func isForeign(_ name: String) -> Bool {
    [
      "ACHANGE", "ATRANSACTION", "Z_TRANSACTION", "ZT_", "RADAR_", "Z_RT_Asset_",
      "Z_RT_GenericAsset_",
    ]
    .contains { name.hasPrefix($0) }
  }

  /// Removes differences for which Apple's Core Data has no visible rule: which of several order
  /// columns comes first, and which of two join tables gets a digit after the name of a shared
  /// column.
  private static func normal(_ sql: String) -> String {
    let sql = sql.replacing("\"", with: "")
    if sql.hasPrefix("CREATE TABLE Z_") || sql.contains("INDEX Z_") && sql.contains(" ON Z_") {
      return sql.replacing(/(Z_\d+[A-Z]+)\d\b/) { String($0.output.1) }
    }
    guard sql.hasPrefix("CREATE TABLE"), sql.contains("Z_FOK_") else { return sql }
    let columns = Self.columns(sql)
    let orders = columns.filter { $0.hasPrefix("Z_FOK_") }.sorted()
    return "CREATE TABLE ( "
      + (columns.filter { !$0.hasPrefix("Z_FOK_") } + orders)
      .joined(separator: ", ")
  }

  /// Returns the columns in a table's statement, without constraints.
  private static func columns(_ sql: String) -> [String] {
    guard let open = sql.firstIndex(of: "(") else { return [] }
    var columns = sql[sql.index(after: open)...].split(separator: ",").map {
      $0.trimmingCharacters(in: CharacterSet(charactersIn: " )"))
    }
    if let constraint = columns.firstIndex(where: {
      $0.hasPrefix("CONSTRAINT") || $0.hasPrefix("PRIMARY KEY")
    }) {
      columns.removeSubrange(constraint...)
    }
    return columns.map { $0.replacing(" UNIQUE", with: "") }
  }

  /// Whether a migration added columns at the end of a table.
  var isMigrated: Bool { statements.values.contains { $0.contains(" , Z") } }

  private func covers(_ index: String) -> Substring? {
    guard index.contains("INDEX"), let on = index.firstRange(of: " ON ") else { return nil }
    return index[on.upperBound...]
  }

  /// Returns what is missing or different on either side. A missing index is accepted if another
  /// one covers the same columns: until about 2023, Xcode's compiler added one named after its
  /// attribute beside each index on a single attribute.
  func differences(from apple: SchemaText) -> [String] {
    let covered = Set(statements.values.compactMap(covers))
    var result: [String] = []
    for (name, sql) in apple.statements.sorted(by: { $0.key < $1.key }) {
      if let own = statements[name] {
        if own != sql { result.append("ours \(own), Apple's \(sql)") }
      } else if !(covers(sql).map(covered.contains) ?? false) {
        result.append("missing \(sql)")
      }
    }
    for (name, sql) in statements.sorted(by: { $0.key < $1.key })
    where apple.statements[name] == nil {
      result.append("not in Apple's \(sql)")
    }
    return result
  }

  /// Returns the differences between the tables' sets of columns.
  func columnDifferences(from apple: SchemaText) -> [String] {
    func tables(_ text: SchemaText) -> [String: Set<String>] {
      text.statements.filter { $0.value.hasPrefix("CREATE TABLE") && $0.key != "Z_MODELCACHE" }
        .mapValues { Set(Self.columns($0)) }
    }
    let (own, other) = (tables(self), tables(apple))
    return Set(own.keys).union(other.keys).sorted().compactMap { name in
      own[name] == other[name]
        ? nil : "\(name): ours \(own[name] ?? []), Apple's \(other[name] ?? [])"
    }
  }
}
