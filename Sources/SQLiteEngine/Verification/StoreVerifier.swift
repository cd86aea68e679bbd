import StoreEngine

/// Looks at all of a store, and mends it where there is one way to.
///
/// Each ``StoreCheck`` returns problems, with the SQL that repairs them where there is only one way to do so. A
/// repair runs the checks again before and after it, all in one transaction: no other process can write in between,
/// and only a problem that is gone afterwards counts as repaired.
struct StoreVerifier {
  let url: URL
  let model: NSManagedObjectModel
  /// Whether the model was made from the store's tables, and says less than a model does.
  let isInferred: Bool
  /// Whether the model is the one that the caller passed, not the copy that the store carries.
  private let isExplicit: Bool
  /// Why the copy that the store carries cannot be read.
  private let modelFault: NSError?

  /// What is wrong with the store's metadata.
  private let metadataFault: NSError?

  private static let checks: [any StoreCheck] = [
    SchemaCheck(), RowKeyCheck(), EntityNumberCheck(), ParentEntityCheck(), ReferenceCheck(),
    OwnerCheck(),
    InverseCheck(), PairCheck(), OrderCheck(),
    KeyCounterCheck(), UniquenessCheck(), MissingValueCheck(), ValueTypeCheck(),
    DerivedValueCheck(), IndexTreeCheck(), ExternalFileCheck(), HistoryCheck(),
    ForeignCodeCheck(),
  ]

  init(_ url: URL, _ given: NSManagedObjectModel?) throws {
    self.url = url
    isExplicit = given != nil
    // A file that is no store throws; a store may have lost its copy of the model only.
    metadataFault = try SQLiteStore.partialMetadata(of: url).fault
    var cached: NSManagedObjectModel?
    var fault: NSError?
    do {
      cached = try SQLiteStore.cachedModel(of: url)
    } catch {
      fault = error as NSError
    }
    modelFault = fault
    isInferred = given == nil && cached == nil
    model = try given ?? cached ?? ModelInference.model(of: url)
  }

  func verify(repairing: Bool, _ cancellation: Cancellation?) throws -> StoreVerification {
    let found = try SQLiteStore.withReadConnection(to: url) { connection in
      // One moment's state. It ends with the connection: in a damaged file it may not end otherwise.
      try connection.execute("BEGIN")
      return try problems(connection)
    }
    guard repairing, found.contains(where: \.finding.isRepairable) else {
      return StoreVerification(findings: found.map(\.finding), backup: nil)
    }
    return try repair(cancellation)
  }

  /// What became of a finding, and the files that are to be removed for it.
  private typealias Outcome = (finding: StoreFinding, files: [String])

  /// Looks again while no other process can write, copies the store as it is then, repairs it, and looks whether it
  /// helped.
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
            // Of the very state that is repaired, and before anything is changed.
            let copy = unusedURL()
            try SQLiteStore.replace(
              copy, StoreOptions(), with: url, StoreOptions(), if: nil, cancellation)
            backup = copy
          }
          try repair(before, on: connection)
          // The copy of the model was not read from this connection.
          let left = Set(
            try problems(connection).filter { $0.finding.kind != .model }.map(Self.identity))
          return before.map { problem -> Outcome in
            var finding = problem.finding
            finding.isRepaired =
              problem.finding.isRepairable
              && (!problem.unusedFiles.isEmpty || !left.contains(Self.identity(problem)))
            return (finding, problem.unusedFiles)
          }
        }
        // A copy of the one file has what was repaired: it is not left in a log, unless another process
        // has the store open. The last connection to close has the file alone, which avoids the defect of SQLite.
        connection.setCheckpointsOnClose(true)
        connection.close()
        sideFiles?.remove()
        return outcomes
      }
    }
    // What the store does not name is removed when that is certain, and nothing in this process needs it.
    let left = Set(ExternalUse.of(url).discard(outcomes.flatMap(\.files)))
    let findings = outcomes.map { outcome in
      Self.finding(outcome.finding, leaving: outcome.files.filter { left.contains($0) })
    }
    return StoreVerification(findings: findings, backup: backup)
  }

  /// A finding about unused files of which some could not be removed.
  private static func finding(_ finding: StoreFinding, leaving files: [String]) -> StoreFinding {
    if files.isEmpty { return finding }
    var finding = finding
    finding.isRepaired = false
    finding.message += "; \(files.count) of them cannot be removed"
    return finding
  }

  /// - Throws: SQLite's error, where triggers of another program than Core Data run for too long.
  private func repair(_ problems: [StoreProblem], on connection: SQLiteConnection) throws {
    let repairs = problems.flatMap(\.repairs)
    if repairs.isEmpty { return }
    try connection.restrainingTriggers(besides: checked(connection).schema) {
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
    options.ignoresVersionHashes = isInferred
    return try SQLiteStore.check(
      connection, url, model: ModelLayout.of(model), configuration: nil, options)
  }

  private func problems(_ connection: SQLiteConnection) throws -> [StoreProblem] {
    let damage = try IntegrityCheck(connection: connection).problems()
    // Where pages cannot be read, nothing else can be said.
    if damage.contains(where: { !$0.finding.isRepairable }) { return damage }
    let (schema, metadata) = try checked(connection)
    let store = VerifiedStore(
      connection: connection, url: url, schema: schema, isModelInferred: isInferred)
    var problems = try damage + modelProblems() + metadataProblems(metadata)
    problems += try Self.checks.flatMap { try $0.problems(in: store) }
    // Nothing is repaired of a store that cannot be opened for writing.
    return problems.contains(where: \.preventsWriting) ? problems.map(\.left) : problems
  }

  private func metadataProblems(_ metadata: [String: Any]) -> [StoreProblem] {
    let fault: String
    if let metadataFault {
      fault = metadataFault.localizedDescription
    } else if !(metadata[NSStoreModelVersionHashesKey] is [String: Data]) {
      fault =
        "its metadata has no version hashes (\(NSStoreModelVersionHashesKey)), so no model fits it"
    } else {
      return []
    }
    return [
      StoreProblem(
        .metadata, count: 1, "\(fault): the store can only be read", preventsWriting: true)
    ]
  }

  /// A copy of the model that cannot be read is exchanged where a model was given.
  private func modelProblems() throws -> [StoreProblem] {
    guard let modelFault else { return [] }
    var repairs: [String] = []
    if isExplicit {
      let bytes = try model.storeModelCache().map { String(format: "%02x", $0) }.joined()
      repairs = ["UPDATE Z_MODELCACHE SET Z_CONTENT = x'\(bytes)'"]
    }
    return [StoreProblem(.model, count: 1, modelFault.localizedDescription, repairs: repairs)]
  }

  /// Where a copy of the store can be put beside it.
  private func unusedURL() -> URL {
    let folder = url.deletingLastPathComponent()
    let name = url.deletingPathExtension().lastPathComponent
    let formatter = ISO8601DateFormatter()
    formatter.formatOptions = [.withYear, .withMonth, .withDay, .withTime]
    var text = "\(name).backup-\(formatter.string(from: Date()))"
    var number = 1
    // Nothing may have the name, nor a link that leads nowhere, nor files of values of another copy.
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
