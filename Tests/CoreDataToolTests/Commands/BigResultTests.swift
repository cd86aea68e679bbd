import Foundation
import Testing

@testable import CoreDataTool
@testable import StoreInspection

/// Results that do not fit on a screen, written by the built program itself.
struct BigResultTests {
  /// Runs a line of shell script in which `$coredata` is the program and `$store` a store.
  private func shell(_ line: String, store: String) throws -> (status: Int32, output: String) {
    let program = try #require(
      RunningTool.program, "the program coredata is not beside the tests")
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/bash")
    process.arguments = ["-c", line]
    process.environment = ProcessInfo.processInfo.environment.merging([
      "coredata": program.path, "store": store,
    ]) { $1 }
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: output, as: UTF8.self))
  }

  @Test
  func `Writing 67,500 rows needs the memory of a few rows, and head ends the program quietly`()
    throws
  {
    let temporary = try TemporaryStore()
    let store = temporary.path("big.sqlite")
    let sample = try shell(
      "\"$coredata\" sample \"$store\" --rows 180000 2>/dev/null", store: store)
    try #require(sample.status == 0, "\(sample.output)")

    let count = try shell(
      "\"$coredata\" fetch \"$store\" Person --format json 2>/dev/null | wc -l", store: store)
    #expect(count.output.filter(\.isNumber) == "67500")

    // A program whose data segment is limited to 32 MB cannot hold 67,500 objects. A program that
    // runs out of memory may hang, so it has a time limit too.
    let memory = try shell(
      "ulimit -d 32768; timeout 120 \"$coredata\" fetch \"$store\" Person --format csv 2>&1 >/dev/null",
      store: store)
    #expect(memory.status == 0, "\(memory.output)")

    let head = try shell(
      "set -o pipefail; \"$coredata\" fetch \"$store\" Person --format csv | head -n 2",
      store: store)
    #expect(
      head.output.hasPrefix(
        "model: the store's own copy\nobjectID,age,displayOrder,firstName,lastName\r\nPerson/p1,"),
      "\(head.output)")
    #expect(head.output.split(whereSeparator: \.isNewline).count == 3, "\(head.output)")
    // Without pipefail, the status would be that of head.
    #expect(head.status == 141)
  }
}
