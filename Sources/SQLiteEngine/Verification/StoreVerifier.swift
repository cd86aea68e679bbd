import StoreEngine

/// Verifies a whole store, and repairs problems that have only one solution.
///
/// Each ``StoreCheck`` returns problems, with the SQL that repairs them if there is only one way to do so. The checks
/// run again before and after the repair, all in one transaction: no other process can write in between, and a problem
/// that the checks find again does not count as repaired.
struct StoreVerifier {
  let url: URL
  let model: NSManagedObjectModel
  /// Whether the model was inferred from the store's tables, so it is less precise.
  let isInferred: Bool
  /// Whether the caller passed the model, instead of using the copy in the store.
  private let isExplicit: Bool
  /// The error in the store's metadata.
  private let metadataError: NSError?
  /// The error in the store's copy of the model.
  private let modelError: NSError?
  /// The configuration of the model that the store contains; nil for the whole model.
  private let configuration: String?
  /// Whether the store's copy of the model, which is used, has different version hashes than the metadata.
  private let copyDiffers: Bool

  private static let checks: [any StoreCheck] = [
    SchemaCheck(), RowKeyCheck(), EntityNumberCheck(), ParentEntityCheck(), ReferenceCheck(),
    OwnerCheck(),
    InverseCheck(), PairCheck(), OrderCheck(),
    KeyCounterCheck(), UniquenessCheck(), MissingValueCheck(), ValueTypeCheck(),
    RowVersionCheck(), DerivedValueCheck(), IndexTreeCheck(), ExternalFileCheck(), HistoryCheck(),
    ForeignCodeCheck(),
  ]

  init(_ url: URL, _ given: NSManagedObjectModel?) throws {
    let url = url.withoutLinks
    self.url = url
    isExplicit = given != nil
    // A file that is not a store throws an error. A store's metadata and its copy of the model may be unreadable.
    let (metadata, metadataError) = try SQLiteStore.partialMetadata(of: url)
    let copy = try SQLiteStore.withReadConnection(to: url) {
      try SQLiteStore.readableModel(on: $0, of: url)
    }
    let model = try given ?? copy.model ?? ModelInference.model(of: url)
    let configuration = model.configurations(ofStoreWith: metadata).first
    let hasHashes = metadataError == nil && metadata[NSStoreModelVersionHashesKey] is [String: Data]
    copyDiffers =
      given == nil && copy.model != nil && hasHashes
      && !model.isConfiguration(withName: configuration, compatibleWithStoreMetadata: metadata)
    self.metadataError = metadataError
    modelError = copy.error
    isInferred = given == nil && copy.model == nil
    self.model = model
    self.configuration = configuration
  }

  func verify(repairing: Bool, _ cancellation: Cancellation?) throws -> StoreVerification {
    let found = try SQLiteStore.withReadConnection(to: url) { connection in
      // The transaction makes all checks read the same state. Closing the connection ends it, because a COMMIT may
      // fail in a damaged file.
      try connection.execute("BEGIN")
      return try problems(connection)
    }
    guard repairing, found.contains(where: \.finding.isRepairable) else {
      return StoreVerification(findings: found.map(\.finding), backup: nil)
    }
    return try repair(cancellation)
  }

  /// The result of a finding, and the files to remove for it.
  private typealias Outcome = (finding: StoreFinding, files: [String])

  /// Checks the store again while no other process can write, copies this state of the store, repairs it, and checks
  /// whether the repairs succeeded.
  private func repair(_ cancellation: Cancellation?) throws -> StoreVerification {
    var options = StoreOptions()
    options.timeout = 10
    var backup: URL?
    let outcomes: [Outcome] = try SQLiteStore.translating(url, "repair") {
      let file = try StoreFile(url)
      return try SQLiteStore.withConnection(file, options) { connection, sideFiles in
        try SQLiteStore.requireStore(connection, file)
        let outcomes = try WriteTransaction.run(on: connection, of: url) { _ in
          let before = try problems(connection)
          if before.contains(where: \.finding.isRepairable) {
            // Copies the same state that is repaired, before anything is changed.
            let copy = unusedURL()
            try SQLiteStore.replace(
              copy, StoreOptions(), with: url, StoreOptions(), if: nil, cancellation)
            backup = copy
          }
          try repair(before, on: connection)
          let left = Set(try problems(connection).map(Self.identity))
          return before.map { problem -> Outcome in
            var finding = problem.finding
            finding.isRepaired =
              problem.finding.isRepairable
              && (!problem.unusedFiles.isEmpty || !left.contains(Self.identity(problem)))
            return (finding, problem.unusedFiles)
          }
        }
        // A user may copy the store's file without its log, and the copy must include the repairs. So they are not left
        // in the log, unless another process has the store open. Closing the last connection makes the checkpoint while
        // no other connection uses the file, which avoids SQLite's WAL-reset bug.
        connection.setCheckpointsOnClose(true)
        connection.close()
        sideFiles?.remove()
        return outcomes
      }
    }
    // Removes only files that the store certainly does not refer to and that this process does not need.
    let left = Set(ExternalUse.of(url).discard(outcomes.flatMap(\.files)))
    let findings = outcomes.map { outcome in
      Self.finding(outcome.finding, leaving: outcome.files.filter { left.contains($0) })
    }
    return StoreVerification(findings: findings, backup: backup)
  }

  /// Returns a finding about unused files, some of which could not be removed.
  private static func finding(_ finding: StoreFinding, leaving files: [String]) -> StoreFinding {
    if files.isEmpty { return finding }
    var finding = finding
    finding.isRepaired = false
    finding.message += "; \(files.count) of them cannot be removed"
    return finding
  }

  /// - Throws: SQLite's error, if triggers or indexes of another program run too long.
  private func repair(_ problems: [StoreProblem], on connection: SQLiteConnection) throws {
    let repairs = problems.flatMap(\.repairs)
    if repairs.isEmpty { return }
    let schema = try checked(connection).schema
    try connection.restrainingForeignCode(besides: schema) {
      if repairs.contains(IntegrityCheck.repair) {
        for index in try connection.foreignCode(besides: schema) where index.hasExpressions {
          try connection.requireLimits(ofIndex: index.name, on: index.table, sql: index.sql)
        }
      }
      for repair in repairs { try connection.execute(repair) }
    }
  }

  private static func identity(_ problem: StoreProblem) -> [String] {
    [problem.finding.kind.rawValue, problem.finding.entity ?? "", problem.finding.property ?? ""]
  }

  private func checked(
    _ connection: SQLiteConnection
  ) throws -> (schema: StoreSchema, metadata: [String: Any]) {
    var options = StoreOptions()
    options.ignoresVersionHashes = isInferred || copyDiffers
    return try SQLiteStore.check(
      connection, url, model: ModelLayout.of(model), configuration: configuration, options)
  }

  private func problems(_ connection: SQLiteConnection) throws -> [StoreProblem] {
    try connection.restrainingChecks { try unlimitedProblems(connection) }
  }

  private func unlimitedProblems(_ connection: SQLiteConnection) throws -> [StoreProblem] {
    let damage = try IntegrityCheck(connection: connection).problems()
    // If pages cannot be read, no other check is possible.
    if damage.contains(where: { !$0.finding.isRepairable }) { return damage }
    let (schema, metadata) = try checked(connection)
    let store = VerifiedStore(
      connection: connection, url: url, schema: schema, isModelInferred: isInferred)
    var problems = try damage + modelProblems(connection) + metadataProblems(metadata)
    problems += try Self.checks.flatMap { try $0.problems(in: store) }
    // A store that cannot be opened for writing is not repaired.
    return problems.contains(where: \.preventsWriting) ? problems.map(\.left) : problems
  }

  private func metadataProblems(_ metadata: [String: Any]) -> [StoreProblem] {
    let reason: String
    if let metadataError {
      reason = metadataError.localizedDescription
    } else if !(metadata[NSStoreModelVersionHashesKey] is [String: Data]) {
      reason =
        "its metadata has no version hashes (\(NSStoreModelVersionHashesKey)), so no model fits it"
    } else {
      return []
    }
    return [
      StoreProblem(
        .metadata, count: 1, "\(reason): the store can only be read", preventsWriting: true)
    ]
  }

  /// Returns the problem of a copy of the model that is unreadable or does not match the metadata. An unreadable copy
  /// is replaced if the caller passed a model.
  private func modelProblems(_ connection: SQLiteConnection) throws -> [StoreProblem] {
    if copyDiffers {
      return [
        StoreProblem(
          .model, count: 1,
          "the store's copy of the model has different version hashes than the metadata, so it may not be the"
            + " store's model: the store is checked with it, and not repaired",
          preventsWriting: true)
      ]
    }
    // If another process has replaced the copy by now, the checks still use the inferred model.
    guard
      let error = try SQLiteStore.readableModel(on: connection, of: url).error
        ?? (isInferred ? modelError : nil)
    else { return [] }
    var repairs: [String] = []
    if isExplicit {
      let bytes = try model.storeModelCache().map { String(format: "%02x", $0) }.joined()
      repairs = ["UPDATE Z_MODELCACHE SET Z_CONTENT = x'\(bytes)'"]
    }
    return [StoreProblem(.model, count: 1, error.localizedDescription, repairs: repairs)]
  }

  /// Returns an unused URL for a copy of the store.
  private func unusedURL() -> URL {
    let folder = url.deletingLastPathComponent()
    let name = url.deletingPathExtension().lastPathComponent
    let formatter = ISO8601DateFormatter()
    formatter.formatOptions = [.withYear, .withMonth, .withDay, .withTime]
    var text = "\(name).backup-\(formatter.string(from: Date()))"
    var number = 1
    // The name must not be used, neither by a dangling link nor by value files of another copy.
    func isInUse(_ text: String) -> Bool {
      [
        folder.appendingPathComponent(text).appendingPathExtension(url.pathExtension),
        folder.appendingPathComponent(".\(text)_SUPPORT"),
      ].contains { FileKind(path: $0.path, followingLinks: false) != nil }
    }
    while isInUse(text) {
      number += 1
      text = "\(name).backup-\(formatter.string(from: Date()))-\(number)"
    }
    return folder.appendingPathComponent(text).appendingPathExtension(url.pathExtension)
  }
}
