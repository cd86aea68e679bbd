import Foundation
import Testing

/// Runs the example `Examples/Contacts` as a user does: commands are its input, tables its output.
@Suite struct ContactsTests {
  @Test func `Rows are added, found, deleted, restored and deleted again`() throws {
    let text = try Contacts.run(
      "add Ann Smith 31", "add Bob Jones 25", "add Abe Young 31", "find smith", "find", "delete 1",
      "undo", "redo")
    #expect(
      text == """
        Type help for a list of commands.

        People by age — add FIRST-NAME LAST-NAME AGE
          (empty)
        -- Age 31
        +   1  Ann Smith
        -- Age 25
        +   1  Bob Jones
        -- Age 31
            2  Ann Smith
        -- Age 25
            1  Bob Jones
        -- Age 31
        +   2  Abe Young
            3  Ann Smith
        -- Age 31
            1  Ann Smith
        -- Age 25
            1  Bob Jones
        -- Age 31
            2  Abe Young
            3  Ann Smith
        -- Age 31
            1  Abe Young
            2  Ann Smith
          (1 deleted)
        -- Age 25
        +   1  Bob Jones
        -- Age 31
            2  Abe Young
            3  Ann Smith
        -- Age 31
            1  Abe Young
            2  Ann Smith
          (1 deleted)

        """)
  }

  @Test func `Rows are moved, and the store keeps their order`() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = folder.appendingPathComponent("Contacts.sqlite").path
    let text = try Contacts.run(
      store: store, "add Ann Smith 31", "add Bob Jones 25", "add Abe Young 31", "order", "move 3 1",
      "undo", "move 1 2")
    #expect(
      text.hasSuffix(
        """
        People in your order (move ROW TO) — add FIRST-NAME LAST-NAME AGE
            1  Ann Smith, 31
            2  Bob Jones, 25
            3  Abe Young, 31
        >   1  Abe Young, 31
            2  Ann Smith, 31
            3  Bob Jones, 25
            1  Ann Smith, 31
            2  Bob Jones, 25
        >   3  Abe Young, 31
        >   1  Bob Jones, 25
            2  Ann Smith, 31
            3  Abe Young, 31

        """))
    #expect(
      try Contacts.run(store: store, "order").hasSuffix(
        """
            1  Bob Jones, 25
            2  Ann Smith, 31
            3  Abe Young, 31

        """))
  }

  @Test func `Players are listed by team, and undo restores a customer and its jobs`() throws {
    let text = try Contacts.run(
      "teams", "add Kim 20 Reds", "add Lee 21 Blues", "add Max 22 reds", "customers",
      "add Jane Doe Boston", "jobs 1", "add Roof 1200.50", "add Door 80", "find roof", "customers",
      "delete 1", "undo", "jobs 1")
    #expect(
      text.hasSuffix(
        """
        Players by team — add NAME AGE TEAM
          (empty)
        -- Reds (1)
        +   1  Kim, 20
        -- Blues (1)
        +   1  Lee, 21
        -- Reds (1)
            2  Kim, 20
        -- Blues (1)
            1  Lee, 21
        -- Reds (2)
            2  Kim, 20
        +   3  Max, 22

        Customers (jobs ROW shows a customer's) — add FIRST-NAME LAST-NAME [CITY]
          (empty)
        +   1  Jane Doe, Boston: 0 jobs, 0

        Jobs of Jane Doe — add TITLE AMOUNT
          (empty)
        +   1  Roof: 1200.5
            1  Roof: 1200.5
        +   2  Door: 80
            1  Roof: 1200.5

        Customers (jobs ROW shows a customer's) — add FIRST-NAME LAST-NAME [CITY]
            1  Jane Doe, Boston: 2 jobs, 1280.5
          (empty)
          (1 deleted)
        +   1  Jane Doe, Boston: 2 jobs, 1280.5

        Jobs of Jane Doe — add TITLE AMOUNT
            1  Roof: 1200.5
            2  Door: 80

        """))
  }

  @Test func `An invalid command prints an error, and the program continues`() throws {
    let text = try Contacts.run(
      "add Ann", "delete 4", "fly", "jobs 1", "undo", "add Ann Smith 31")
    #expect(
      text.hasSuffix(
        """
          add FIRST-NAME LAST-NAME AGE
          there is no row 4
          'fly' is not a command; help lists them
          show the customers first
        -- Age 31
        +   1  Ann Smith

        """))
  }
}

private enum Contacts {
  /// Runs the program and returns its output.
  static func run(store: String? = nil, _ commands: String...) throws -> String {
    let program: URL = try #require(Self.program)
    let process = Process()
    process.executableURL = program
    process.arguments = store.map { [$0] } ?? []
    let input = Pipe()
    let output = Pipe()
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    try input.fileHandleForWriting.write(contentsOf: Data(commands.map { "\($0)\n" }.joined().utf8))
    try input.fileHandleForWriting.close()
    let written = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return String(decoding: written, as: UTF8.self)
  }

  /// The program that was built next to the tests.
  private static var program: URL? {
    let beside = Bundle.allBundles.map { $0.bundleURL.deletingLastPathComponent() }
    let folders =
      beside + [URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()]
    return folders.map { $0.appendingPathComponent("contacts") }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
  }
}
