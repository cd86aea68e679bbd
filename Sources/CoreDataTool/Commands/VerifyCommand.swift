import ArgumentParser
import CoreData
import StoreInspection

/// `coredata verify`: whether a store is whole.
struct VerifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Looks at all of a store, and mends it.",
    discussion: """
      Exit codes: 0 nothing is wrong, or all of it was repaired; 65 something is wrong. The store \
      may be in use; --repair waits ten seconds for others that write.
      """
  )

  @OptionGroup var arguments: StoreArguments
  @OptionGroup var readOnly: ReadOnlyOptions
  @OptionGroup var writing: WriteArguments

  @Flag(
    help: """
      Mend what can be put right in one way only, after a copy of the store was made beside it.
      """)
  var repair = false

  @Option(help: "text, or json: one object a finding, on a line of its own.")
  var format: TextFormat = .text

  func run() throws {
    let path = arguments.store
    if repair, readOnly.immutable {
      throw Diagnostic(.usage, "--repair writes to the store, and --immutable forbids that")
    }
    if repair { try writing.requireUnprotected(path) }
    try OpenedStore.requireFile(path)
    let url = URL(fileURLWithPath: path)
    let result = try readOnly.apply {
      let model = try arguments.model.map { try OpenedStore.chooseModelToRead(url, named: $0).0 }
      return try reportingStoreErrors {
        try NSPersistentStoreCoordinator.verifyPersistentStore(
          at: url, model: model, repairing: repair)
      }
    }
    switch format {
    case .text: printText(result)
    case .json: for finding in result.findings { printJSON(finding) }
    }
    if let backup = result.backup {
      Console.current.note("copy of the store before: \(backup.path.onOneLine)\n")
    }
    let left = result.findings.filter { $0.kind.isFault && !$0.isRepaired }
    if left.isEmpty { return }
    let repairable = left.filter(\.isRepairable).count
    throw Diagnostic(
      .data, "\(path): \(Self.findings(left.count))",
      details: repairable > 0 && !repair
        ? ["\(repairable == left.count ? "All" : "\(repairable)") of them can be mended: --repair"]
        : [])
  }

  private static func findings(_ count: Int) -> String {
    count == 1 ? "1 thing is wrong" : "\(count) things are wrong"
  }

  private func printText(_ result: StoreVerification) {
    let rows = result.findings.map { finding in
      [
        finding.isRepaired ? "repaired" : finding.kind.isFault ? "wrong" : "note",
        [finding.entity, finding.property].compactMap { $0 }.joined(separator: "."),
        finding.message,
      ]
    }
    for line in TextColumns.aligned(rows) { Console.current.output(line + "\n") }
    if result.isWhole {
      let repaired = result.findings.filter(\.isRepaired).count
      Console.current.output(
        "\(arguments.store.onOneLine): whole\(repaired > 0 ? ", \(repaired) repaired" : "")\n")
    }
  }

  private func printJSON(_ finding: StoreFinding) {
    var object: [String: Any] = [
      "kind": finding.kind.rawValue, "count": finding.count, "message": finding.message,
      "isFault": finding.kind.isFault, "isRepairable": finding.isRepairable,
      "isRepaired": finding.isRepaired,
    ]
    object["entity"] = finding.entity
    object["property"] = finding.property
    let data = try? JSONSerialization.data(
      withJSONObject: object, options: [.sortedKeys, .withoutEscapingSlashes])
    Console.current.output(String(decoding: data ?? Data(), as: UTF8.self) + "\n")
  }
}
