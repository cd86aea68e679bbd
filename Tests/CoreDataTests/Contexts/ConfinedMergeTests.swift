import CoreData
import Testing

/// A context of the confinement type belongs to the thread on which the program uses it.
@Suite(.onEveryStore) struct ConfinedMergeTests {
  /// A team, and two contexts that merge automatically and have read it.
  private struct Scene {
    let stack: SampleStack
    let confined: NSManagedObjectContext
    let team: NSManagedObject
    let queued: NSManagedObjectContext
    let queuedTeam: NSManagedObject

    init() throws {
      let stack = try SampleStack()
      try stack.context.performAndWait {
        stack.context.insert("Team", ["name": "Reds"])
        try stack.context.save()
      }
      let confined = NSManagedObjectContext.confined(to: stack.coordinator)
      confined.automaticallyMergesChangesFromParent = true
      let team = try #require(try confined.all("Team").first)
      #expect(team["name"] == "Reds")
      let queued = stack.newContext()
      queued.automaticallyMergesChangesFromParent = true
      let queuedTeam = try queued.performAndWait {
        let team = try #require(try queued.all("Team").first)
        #expect(team["name"] == "Reds")
        return team
      }
      (self.stack, self.confined, self.team) = (stack, confined, team)
      (self.queued, self.queuedTeam) = (queued, queuedTeam)
    }

    /// Expects that only the context with a queue has merged the new name.
    func expectMerged(_ name: String) {
      queued.performAndWait {
        queued.processPendingChanges()
        #expect(queuedTeam["name"] == name)
      }
      #expect(team["name"] == "Reds")
      confined.refresh(team, mergeChanges: false)
      #expect(team["name"] == name)
    }
  }

  @Test func `A save is not merged into a confined context on another thread`() throws {
    let scene = try Scene()
    let context = scene.stack.context
    try context.performAndWait {
      let team = try #require(try context.all("Team").first)
      team["name"] = "Blues"
      try context.save()
    }
    scene.expectMerged("Blues")
  }

  @Test(.only(TestedStore.sqlKinds, "other stores have no batch requests"))
  func `A batch request is merged only into the confined context that executes it`() throws {
    let scene = try Scene()
    let context = scene.stack.context
    try context.performAndWait {
      _ = try context.batchUpdate("Team", nil, ["name": "Blues"])
    }
    scene.expectMerged("Blues")
    _ = try scene.confined.batchUpdate("Team", nil, ["name": "Greens"])
    #expect(scene.team["name"] == "Greens")
  }
}
