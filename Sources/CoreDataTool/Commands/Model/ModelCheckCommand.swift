import ArgumentParser
import CoreData
import StoreInspection

/// `coredata model check`: what is wrong with a model.
struct ModelCheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Finds what is wrong with a model, in all its versions.",
    discussion: """
      An error keeps a model from being used; a warning is something that is probably not meant; a \
      note is something in the file that was not understood. All are printed, with version, entity \
      and property. Exit codes: 0 no errors, 65 errors.
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
