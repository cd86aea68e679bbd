import Testing

@testable import CoreDataTool
@testable import StoreInspection

struct ConfirmationTests {
  private func isAllowed(rows: Int, isConfirmed: Bool = false, answer: String?) throws -> Bool {
    var prompt: (@Sendable (String) -> String?)?
    if let answer { prompt = { _ in answer } }
    let console = Console(output: { _ in }, note: { _ in }, prompt: prompt, width: { nil })
    return try Console.$current.withValue(console) {
      do {
        try Confirmation.require("delete", rows: rows, of: "Person", isConfirmed: isConfirmed)
        return true
      } catch let diagnostic as Diagnostic {
        #expect(diagnostic == .needsConfirmation("\(rows) rows of Person", change: "delete"))
        return false
      }
    }
  }

  @Test func `Changing one row or none requires no confirmation`() throws {
    #expect(try isAllowed(rows: 1, answer: nil))
    #expect(try isAllowed(rows: 0, answer: "no"))
  }

  @Test func `Without a terminal, changing several rows requires --yes`() throws {
    #expect(try !isAllowed(rows: 2, answer: nil))
    #expect(try isAllowed(rows: 2, isConfirmed: true, answer: nil))
  }

  @Test(arguments: [("y", true), ("Yes ", true), ("", false), ("n", false), ("yessir", false)])
  func `Only an explicit yes confirms`(answer: String, expected: Bool) throws {
    #expect(try isAllowed(rows: 2, answer: answer) == expected)
  }
}
