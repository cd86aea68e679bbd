import Foundation
import Testing

@testable import CoreDataTool
@testable import StoreInspection

struct SampleCommandTests {
  private let temporary: TemporaryStore

  init() throws {
    temporary = try TemporaryStore()
  }

  @Test func `The same seed creates the same rows, and another seed creates different rows`() {
    var outputs: [String] = []
    for (name, seed) in [("a", "7"), ("b", "7"), ("c", "8")] {
      let path = temporary.path(name + ".sqlite")
      let run = ToolRun.coredata("sample", path, "--rows", "300", "--seed", seed)
      #expect(run.code == 0)
      #expect(run.output.hasPrefix("\(path): 113 people, 1 team, 36 players, 60 customers, "))
      outputs.append(
        ToolRun.coredata("fetch", path, "Customer", "--format", "csv").output)
    }
    #expect(outputs[0] == outputs[1])
    #expect(outputs[0] != outputs[2])
  }

  @Test func `An existing file is not overwritten`() {
    let path = temporary.sample(rows: 10)
    let run = ToolRun.coredata("sample", path)
    #expect(run.code == 64)
    #expect(run.errors.contains("already exists"))
  }

  @Test func `A number of rows out of range is refused`() {
    #expect(ToolRun.coredata("sample", temporary.path("x.sqlite"), "--rows", "9").code == 64)
    #expect(ToolRun.coredata("sample", temporary.path("x.sqlite"), "--rows", "1000001").code == 64)
  }
}
