import CoreData
import Testing

/// The other process is this test program, which runs one test. That test is skipped unless an environment variable
/// has the path of the store.
@Suite("Conflicts between two processes")
struct TwoProcessesTests {
  private static let variable = "OPENCOREDATA_OTHER_PROCESS"

  @Test(
    "the other process saves",
    .enabled(if: ProcessInfo.processInfo.environment[TwoProcessesTests.variable] != nil))
  func otherProcess() throws {
    let path = try #require(ProcessInfo.processInfo.environment[Self.variable])
    let context = NSManagedObjectContext.confined(
      to: try TestedStore.sqlite.open(
        ConstraintConflictTests.model(), at: URL(fileURLWithPath: path)
      ).context.persistentStoreCoordinator)
    for player in try context.all("Player", sort: ["number"]) {
      switch player["number"] as Int? {
      case 1:
        player["name"] = "other process"
        player["age"] = 2
      case 2: context.delete(player)
      case 3: player["age"] = 2
      default: break
      }
    }
    context.insert("Player", ["name": "unique", "number": 9, "age": 2])
    try context.save()
  }

  #if os(Linux)
    private func runOtherProcess(on url: URL) throws {
      try OtherProcess.run(
        "TwoProcessesTests/otherProcess", setting: Self.variable, to: url.path)
    }

    @Test("Another process's save is a conflict with persisted values, which each policy resolves")
    func policies() throws {
      for policy in [NSMergePolicy.error] + NSMergePolicy.resolving {
        let folder = try TemporaryFolder()
        let url = TestedStore.sqlite.url(in: folder)
        let here = NSManagedObjectContext.confined(
          to: try TestedStore.sqlite.open(ConstraintConflictTests.model(), at: url).context
            .persistentStoreCoordinator)
        here.mergePolicy = policy
        let players = (1...3).map {
          here.insert("Player", ["name": "\($0)", "number": $0, "age": 1, "score": Double($0)])
        }
        try here.save()
        try runOtherProcess(on: url)
        players[0]["name"] = "here"
        players[1]["name"] = "here too"
        here.delete(players[2])
        let text = "\(policy.mergeType)"
        let storeWins =
          policy === NSMergePolicy.mergeByPropertyStoreTrump || policy === NSMergePolicy.rollback
        if policy === NSMergePolicy.error {
          let error = try #require(#expect(throws: NSError.self) { try here.save() })
          #expect(error.code == NSManagedObjectMergeError)
          #expect(error.conflicts.map { $0.newVersionNumber }.sorted() == [0, 2, 2])
          let conflict = error.conflicts.first { $0.sourceObject === players[0] }
          #expect(conflict?.persistedSnapshot?["name"] as? String == "other process")
          #expect(conflict?.cachedSnapshot?["name"] as? String == "1")
          #expect(conflict?.objectSnapshot == nil)
          continue
        }
        here.insert("Player", ["name": "unique", "number": 8, "age": 1])
        try here.save()
        #expect(!here.hasChanges, "\(text)")
        let reader = NSManagedObjectContext.confined(to: here.persistentStoreCoordinator)
        let stored = try reader.all("Player", sort: ["score"])
        let lines = stored.map { player in
          "\(player["name"] ?? "") \(player["number"] ?? 0) \(player["age"] ?? 0)"
        }
        let expected: [NSMergePolicyType: [String]] = [
          .mergeByPropertyStoreTrumpMergePolicyType: [
            "unique 9 2", "other process 1 2", "3 3 2",
          ],
          .rollbackMergePolicyType: ["unique 9 2", "other process 1 2", "3 3 2"],
          .mergeByPropertyObjectTrumpMergePolicyType: [
            "unique 8 1", "here 1 2", "here too 2 1",
          ],
          .overwriteMergePolicyType: ["unique 8 1", "here 1 1", "here too 2 1"],
        ]
        #expect(lines == expected[policy.mergeType], "\(text)")
        #expect(
          players[2].isDeleted == false && (players[2].managedObjectContext != nil) == storeWins)
      }
    }
  #endif
}
