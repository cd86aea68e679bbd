import Testing

@testable import CoreDataTool
@testable import StoreInspection

struct EntryPointTests {
  @Test func `Help goes to the output and is no error`() {
    let run = ToolRun.coredata("--help")
    #expect(run.code == 0)
    #expect(run.output.contains("USAGE: coredata"))
    #expect(run.errors == "")
  }

  @Test func `An unknown option is a usage error on standard error`() {
    let run = ToolRun.coredata("--nonsense")
    #expect(run.code == 64)
    #expect(run.output == "")
    #expect(run.errors.contains("--nonsense"))
  }
}
