import Foundation
import Testing

@testable import CoreDataTool
@testable import StoreInspection

struct EntryPointTests {
  @Test func `Help is printed to standard output with exit code 0`() {
    let run = ToolRun.coredata("--help")
    #expect(run.code == 0)
    #expect(run.output.contains("USAGE: coredata"))
    #expect(run.errors == "")
  }

  @Test func `The version is the newest one in CHANGELOG.md`() throws {
    let run = ToolRun.coredata("--version")
    #expect(run.code == 0 && run.errors == "")
    let changes = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../../CHANGELOG.md")
    let text = try String(contentsOf: changes, encoding: .utf8)
    #expect(text.firstMatch(of: /\n## \[(.*?)\]/)?.1 == run.output.dropLast())
    #expect(run.output.hasSuffix("\n"))
  }

  @Test func `An unknown option is a usage error on standard error`() {
    let run = ToolRun.coredata("--nonsense")
    #expect(run.code == 64)
    #expect(run.output == "")
    #expect(run.errors.contains("--nonsense"))
  }

  @Test func `A full disk is reported as an error, and a reader that closes the pipe is not`()
    throws
  {
    let temporary = try TemporaryStore()
    // The output is more than fits into the buffer of a pipe.
    let store = temporary.sample(rows: 20_000)
    let program = try #require(RunningTool.program)
    func shell(_ command: String) throws -> (code: Int32, errors: String) {
      let process = Process()
      let errors = Pipe()
      process.executableURL = URL(fileURLWithPath: "/bin/bash")
      process.arguments = ["-c", command, program.path, store]
      process.standardError = errors
      process.standardOutput = FileHandle.nullDevice
      try process.run()
      let text = try errors.fileHandleForReading.readToEnd() ?? Data()
      process.waitUntilExit()
      return (process.terminationStatus, String(decoding: text, as: UTF8.self))
    }
    let full = try shell(#""$0" fetch "$1" Person --format csv > /dev/full"#)
    #expect(full.code == 74)
    #expect(
      full.errors.contains("error: the output could not be written: No space left on device"),
      "\(full.errors)")
    // Without pipefail, the code would be that of head.
    let ended = try shell(#"set -o pipefail; "$0" fetch "$1" Person --format csv | head -n 1"#)
    #expect(ended.code == 141)
    #expect(!ended.errors.contains("error"), "\(ended.errors)")
  }
}
