import Foundation

/// `StoreWorkload NAME --option value …`: one of the programs that show what a store survives.
///
/// Exit codes: 0 nothing was lost, 1 something was, 64 the arguments make no sense.
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
        throw Arguments.Mistake(
          text: "there is no \(arguments.name); there are "
            + programs.keys.sorted().joined(separator: ", "))
      }
      try program(arguments)
    } catch let mistake as Arguments.Mistake {
      Report.error(mistake.text)
      exit(64)
    } catch {
      Report.error("FAILED: \((error as? Lost)?.text ?? (error as NSError).localizedDescription)")
      exit(1)
    }
  }
}

/// What a store lost, or did wrong.
struct Lost: Error {
  let text: String

  init(_ text: String) { self.text = text }

  static func unless(_ condition: Bool, _ text: @autoclosure () -> String) throws {
    if !condition { throw Lost(text()) }
  }
}

/// The program's name and options.
struct Arguments {
  struct Mistake: Error { let text: String }

  let name: String
  private var values: [String: String] = [:]

  init(_ words: some Sequence<String>) throws {
    var words = words.makeIterator()
    name = words.next() ?? ""
    while let word = words.next() {
      guard word.hasPrefix("--"), let value = words.next() else {
        throw Mistake(text: "\(word) is no option with a value")
      }
      values[String(word.dropFirst(2))] = value
    }
  }

  func text(_ name: String) throws -> String {
    guard let value = values[name] else { throw Mistake(text: "--\(name) is missing") }
    return value
  }

  func text(_ name: String, _ usual: String) -> String { values[name] ?? usual }

  func number(_ name: String, _ usual: Int) throws -> Int {
    guard let text = values[name] else { return usual }
    guard let number = Int(text) else { throw Mistake(text: "--\(name) \(text) is no number") }
    return number
  }
}

/// Lines to the standard streams, written at once: whoever reads them knows that it was so.
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
