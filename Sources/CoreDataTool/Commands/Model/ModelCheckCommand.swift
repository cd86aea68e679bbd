import ArgumentParser
import CoreData
import StoreInspection

/// `coredata model check`: reports problems of a model.
struct ModelCheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Reports problems in all versions of a model.",
    discussion: """
      An error makes the model unusable; a warning is about something that is probably unintended; a note \
      reports a part of the file that this tool does not understand. Each is printed with its version, entity and \
      property. Exit codes: 0 no errors, 65 errors.
      """
  )

  @OptionGroup var arguments: ModelArguments

  func run() throws { try arguments.readOnly.apply(check) }

  private func check() throws {
    let files = try ModelFiles(at: arguments.model)
    var versions: [String?] = files.versions
    if versions.isEmpty { versions = [nil] }
    if let name = arguments.version {
      guard files.versions.contains(name) else {
        // Throws the error for an unknown version, which suggests a name.
        _ = try files.load(version: name)
        return
      }
      versions = [name]
    }
    var total = ModelFindings()
    for version in versions {
      let findings = ModelFindings(in: files, version: version)
      let place = files.versions.count > 1 ? version.map { "\($0): " } ?? "" : ""
      for line in findings.lines {
        Console.current.output((line.kind + place + line.text).onOneLine + "\n")
      }
      total.add(findings)
    }
    Console.current.output(total.summary(versions: versions.count) + "\n")
    if !total.errors.isEmpty { throw ExitCode(Diagnostic.Kind.data.rawValue) }
  }
}
