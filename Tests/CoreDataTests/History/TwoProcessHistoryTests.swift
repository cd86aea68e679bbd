import CoreData
import Testing

#if os(Linux)
  /// Two processes write one store's history at the same time. The other process is this test program, which runs one
  /// test that is disabled unless an environment variable has the path of the store.
  @Suite("History that two processes write")
  struct TwoProcessHistoryTests {
    private static let variable = "OPENCOREDATA_HISTORY_STORE"
    private static let saves = 60

    /// Repeatedly reads the new transactions of the history.
    private final class Follower {
      private let stack: HistoryStack
      private(set) var token: NSPersistentHistoryToken?
      /// The numbers and authors of the transactions, in the order in which they were read.
      private(set) var seen: [String] = []

      init(_ stack: HistoryStack) { self.stack = stack }

      func follow() throws {
        for transaction in try stack.transactions(.fetchHistory(after: token)) {
          token = transaction.token
          seen.append("\(transaction.transactionNumber) \(transaction.author ?? "-")")
        }
      }
    }

    /// Saves and executes batch requests, and reads the history in between.
    private static func work(_ author: String, _ stack: HistoryStack, _ follower: Follower) throws {
      let context = stack.context
      context.transactionAuthor = author
      context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
      for number in 1...saves {
        if number % 3 == 0 {
          try context.batchInsert("Player", [["name": author, "number": number]])
        } else {
          context.insert("Player", ["name": author, "number": number])
          try context.save()
        }
        if number % 4 == 0 { try follower.follow() }
      }
    }

    @Test(
      "Helper: the other process that writes history",
      .enabled(if: OtherProcess.argument(TwoProcessHistoryTests.variable) != nil))
    func otherProcess() throws {
      let path = try #require(OtherProcess.argument(Self.variable))
      let stack = try HistoryStack(URL(fileURLWithPath: path))
      let follower = Follower(stack)
      try CommandedProcess.replyToCommands { line in
        switch line {
        case "work": try Self.work("there", stack, follower)
        case "token":
          let token = try #require(follower.token)
          return try NSKeyedArchiver.archivedData(
            withRootObject: token, requiringSecureCoding: true
          ).base64EncodedString()
        default: try follower.follow()
        }
        return follower.seen.joined(separator: ",")
      }
      try stack.close()
    }

    /// The other process, which is driven from another thread.
    private final class Other: @unchecked Sendable {
      let process: CommandedProcess
      init(_ process: CommandedProcess) { self.process = process }
    }

    @Test("Both processes see all transactions in one order and can use each other's tokens")
    func bothWrite() throws {
      let stack = try HistoryStack.onFile()
      let other = Other(
        try CommandedProcess(
          "TwoProcessHistoryTests/otherProcess", setting: Self.variable, to: stack.url.path))
      _ = try #require(other.process.send("follow"))
      let ended = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        _ = other.process.send("work")
        ended.signal()
      }
      let follower = Follower(stack)
      try Self.work("here", stack, follower)
      ended.wait()
      try follower.follow()
      let there = try #require(other.process.send("follow")).split(separator: ",").map(String.init)
      #expect(follower.seen == there)
      #expect(follower.seen.map { $0.split(separator: " ")[0] } == (1...120).map { "\($0)" })
      #expect(follower.seen.filter { $0.hasSuffix(" there") }.count == Self.saves)
      #expect(follower.seen.filter { $0.hasSuffix(" here") }.count == Self.saves)

      let text = try #require(other.process.send("token"))
      let archive = try #require(Data(base64Encoded: text))
      let found = try NSKeyedUnarchiver.unarchivedObject(
        ofClass: NSPersistentHistoryToken.self, from: archive)
      let token = try #require(found)
      #expect(try stack.transactions(.fetchHistory(after: token)).isEmpty)
      stack.context.insert("Player", ["number": 121])
      try stack.context.save()
      #expect(try stack.transactions(.fetchHistory(after: token)).map(\.transactionNumber) == [121])
      try other.process.end()

      // The history has each process's changes in the order in which that process wrote them.
      for author in ["here", "there"] {
        let changes = try stack.transactions().filter { $0.author == author }
          .flatMap { $0.changes ?? [] }
        let numbers = try changes.map { change in
          try stack.context.existingObject(with: change.changedObjectID)["number"] ?? 0
        }
        #expect(numbers == Array(1...Self.saves) + (author == "here" ? [121] : []))
      }
      let database = try PlainDatabase(stack.url)
      for (entity, table) in [(16_001, "ACHANGE"), (16_002, "ATRANSACTION")] {
        let numbers = try database.values(
          "SELECT (SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(entity)), MAX(Z_PK), COUNT(*)"
            + " FROM \(table)")
        #expect(numbers == [[.integer(121), .integer(121), .integer(121)]])
      }
      try stack.close()
    }
  }
#endif
