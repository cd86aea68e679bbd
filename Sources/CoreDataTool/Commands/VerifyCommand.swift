import ArgumentParser
import CoreData
import StoreInspection

/// `coredata verify`: checks a store, and repairs it with `--repair`.
struct VerifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Checks a store; --repair fixes what is unambiguous.",
    discussion: """
      The store may be in use; --repair waits up to ten seconds for other processes that write to it.
      Exit codes: 0 no problems, or all of them were repaired; 65 problems remain.
      """
  )

  @OptionGroup var arguments: StoreArguments
  @OptionGroup var readOnly: ReadOnlyOptions
  @OptionGroup var writing: WriteArguments

  @Flag(
    help: """
      Repair problems that have only one possible fix, after making a copy of the store beside it.
      """)
  var repair = false

  @Option(help: "text, or json (one object per finding, each on its own line).")
  var format: TextFormat = .text

  func run() throws {
    let path = arguments.store
    if repair, readOnly.immutable {
      throw Diagnostic(.usage, "--repair cannot be combined with --immutable")
    }
    if repair { try writing.requireUnprotected(path) }
    try OpenedStore.requireFile(path)
    let url = URL(fileURLWithPath: path)
    let keepsLog = readOnly.immutable
    let result = try LeftLog.moving(of: path, model: arguments.model, unless: keepsLog) {
      try readOnly.apply {
        let model = try arguments.model.map { try OpenedStore.chooseModelToRead(url, named: $0).0 }
        return try reportingStoreErrors {
          try NSPersistentStoreCoordinator.verifyPersistentStore(
            at: url, model: model, repairing: repair)
        }
      }
    }
    switch format {
    case .text: printText(result)
    case .json: for finding in result.findings { printJSON(finding) }
    }
    if let backup = result.backup {
      Console.current.note("copy of the original store: \(backup.path.onOneLine)\n")
    }
    let left = result.findings.filter { $0.kind.isProblem && !$0.isRepaired }
    if left.isEmpty { return }
    let repairable = left.filter(\.isRepairable).count
    throw Diagnostic(
      .data, "\(path): \(Self.findings(left.count))",
      details: repairable > 0 && !repair
        ? [
          "\(repairable == left.count ? "All" : "\(repairable)") of them can be fixed with --repair"
        ]
        : [])
  }

  private static func findings(_ count: Int) -> String {
    count == 1 ? "1 problem" : "\(count) problems"
  }

  private func printText(_ result: StoreVerification) {
    let rows = result.findings.map { finding in
      [
        finding.isRepaired ? "repaired" : finding.kind.isProblem ? "problem" : "note",
        [finding.entity, finding.property].compactMap { $0 }.joined(separator: "."),
        finding.message,
      ]
    }
    for line in TextColumns.aligned(rows) { Console.current.output(line + "\n") }
    if result.isIntact {
      let repaired = result.findings.filter(\.isRepaired).count
      Console.current.output(
        "\(arguments.store.onOneLine): no problems \(repaired > 0 ? "left, \(repaired) repaired" : "found")\n"
      )
    }
  }

  private func printJSON(_ finding: StoreFinding) {
    var object: [String: Any] = [
      "kind": finding.kind.rawValue, "count": finding.count, "message": finding.message,
      "isProblem": finding.kind.isProblem, "isRepairable": finding.isRepairable,
      "isRepaired": finding.isRepaired,
    ]
    object["entity"] = finding.entity
    object["property"] = finding.property
    let data = try? JSONSerialization.data(
      withJSONObject: object, options: [.sortedKeys, .withoutEscapingSlashes])
    Console.current.output(String(decoding: data ?? Data(), as: UTF8.self) + "\n")
  }
}
