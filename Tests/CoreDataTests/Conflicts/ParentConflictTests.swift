import CoreData
import Testing

/// A child and its parent have no rows to compare. Apple documents only that the child wins (see "Differences").
@Suite("Conflicts of children with their parents")
struct ParentConflictTests {
  @Test("A child's save overwrites its parent's unsaved changes, without a conflict")
  func parents() throws {
    let parent = NSManagedObjectContext.confined(to: try SampleStack().coordinator)
    let player = parent.insert("Player", ["name": "Ann", "age": 1])
    try parent.save()
    let child = NSManagedObjectContext(.privateQueue)
    child.parent = parent
    try child.performAndWait {
      let own = try child.existingObject(with: player.objectID)
      parent.performAndWait {
        player["name"] = "parent"
        player["age"] = 2
      }
      own["name"] = "child"
      try child.save()
    }
    #expect(player["name"] == "child" && player["age"] == 2)
  }

  @Test("An object changed in a child and deleted in its parent is removed or restored by policy")
  func deletedInParent() throws {
    for policy in NSMergePolicy.resolving {
      for isSaved in [true, false] {
        let parent = NSManagedObjectContext.confined(to: try SampleStack().coordinator)
        let team = parent.insert("Team", ["name": "Reds"])
        let player = parent.insert("Player", ["name": "Ann", "age": 1, "team": team])
        if isSaved { try parent.save() }
        parent.processPendingChanges()
        let child = NSManagedObjectContext(.privateQueue)
        child.parent = parent
        child.mergePolicy = policy
        let text = "\(policy.mergeType) saved \(isSaved)"
        try child.performAndWait {
          let own = try child.existingObject(with: player.objectID)
          #expect(own["age"] == 1)
          parent.performAndWait {
            parent.delete(player)
            parent.processPendingChanges()
          }
          own["name"] = "child"
          try child.save()
          #expect(!child.hasChanges, "\(text)")
          #expect((own.managedObjectContext == nil) == policy.prefersStore, "\(text)")
        }
        try parent.save()
        let stored = try NSManagedObjectContext.confined(
          to: parent.persistentStoreCoordinator
        ).all("Player", "age == 1 AND name == 'child'").count
        #expect(stored == (policy.prefersStore ? 0 : 1), "\(text)")
        #expect(!parent.hasChanges, "\(text)")
      }
    }
  }
}
