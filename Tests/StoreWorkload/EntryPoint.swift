import Foundation

/// `StoreWorkload NAME --option value …` runs one of the programs that test what a store survives.
///
/// Exit codes: 0 if nothing was lost, 1 if data was lost or the program failed, 64 if the arguments are invalid.
@main
enum EntryPoint {
  private static let programs: [String: @Sendable (Arguments) throws -> Void] = [
    "crash": CrashTest.run,
    "crash-loop": CrashLoop.run,
    "crash-migration": MigrationCrashTest.run,
    "migration-loop": MigrationCrashTest.loop,
    "large-migration": LargeMigrationTest.run,
    "soak": SoakTest.run,
    "soak-loop": SoakLoop.run,
    "faults": FaultTest.run,
    "full-disk": FullDiskTest.run,
    "fuzz": FuzzTest.run,
    "fuzz-folders": FolderFuzz.run,
  ]

  static func main() {
    do {
      let arguments = try Arguments(CommandLine.arguments.dropFirst())
      guard let program = programs[arguments.name] else {
        throw Arguments.UsageError(
          text: "unknown program '\(arguments.name)'; the programs are "
            + programs.keys.sorted().joined(separator: ", "))
      }
      try program(arguments)
    } catch let error as Arguments.UsageError {
      Report.error(error.text)
      exit(64)
    } catch {
      Report.error("FAILED: \((error as? Lost)?.text ?? (error as NSError).localizedDescription)")
      exit(1)
    }
  }
}

/// A store lost data or behaved incorrectly.
struct Lost: Error {
  let text: String

  init(_ text: String) { self.text = text }

  static func unless(_ condition: Bool, _ text: @autoclosure () -> String) throws {
    if !condition { throw Lost(text()) }
  }
}

/// The program's name and options.
struct Arguments {
  struct UsageError: Error { let text: String }

  let name: String
  private var values: [String: String] = [:]

  init(_ words: some Sequence<String>) throws {
    var words = words.makeIterator()
    name = words.next() ?? ""
    while let word = words.next() {
      guard word.hasPrefix("--"), let value = words.next() else {
        throw UsageError(text: "'\(word)' is not an option with a value")
      }
      values[String(word.dropFirst(2))] = value
    }
  }

  func text(_ name: String) throws -> String {
    guard let value = values[name] else { throw UsageError(text: "--\(name) is missing") }
    return value
  }

  func text(_ name: String, _ usual: String) -> String { values[name] ?? usual }

  func number(_ name: String, _ usual: Int) throws -> Int {
    guard let text = values[name] else { return usual }
    guard let number = Int(text) else {
      throw UsageError(text: "--\(name) must be a number, not '\(text)'")
    }
    return number
  }
}

/// Writes lines to the standard streams immediately, so that a reader can rely on what was
/// reported.
enum Report {
  static func line(_ text: String) { write(text + "\n", to: 1) }
  static func error(_ text: String) { write(text + "\n", to: 2) }

  private static func write(_ text: String, to descriptor: Int32) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
      if count <= 0 { return }
      bytes = bytes.dropFirst(count)
    }
  }
}
