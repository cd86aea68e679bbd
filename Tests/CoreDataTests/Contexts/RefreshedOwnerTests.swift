import CoreData
import CoreDataTestSupport
import Testing

/// A member is added to an owner, the owner is refreshed, which discards its unsaved changes, and then the member is
/// deleted. Apple documents that a refresh without merging discards changes. It does not document whether the deletion
/// marks the owner as updated. Here it does not, because the owner has no changes.
///
/// Found by `scripts/soak graph --seed 101 --round 1458`.
@Suite("Owners that are refreshed after a member was added", .onEveryStore)
struct RefreshedOwnerTests {
  /// Adds a player to a saved owner, refreshes the owner, deletes the player, and expects an unchanged owner.
  private func expectUnchanged(
    _ context: NSManagedObjectContext, ownerOf player: NSManagedObject, _ entity: String,
    add: (NSManagedObject) -> Void
  ) throws {
    let owner = context.insert(entity, entity == "Tag" ? ["label": "t"] : [:])
    try context.save()
    add(owner)
    context.processPendingChanges()
    #expect(owner.isUpdated)
    context.refresh(owner, mergeChanges: false)
    #expect(!owner.isUpdated)
    context.delete(player)
    context.processPendingChanges()
    #expect(!owner.isUpdated && context.updatedObjects.isEmpty)
    try context.save()
    #expect(!context.hasChanges)
    #expect((owner.value(forKey: "players") as? Set<NSManagedObject>)?.isEmpty == true)
  }

  @Test("deleting a player leaves its refreshed team unchanged")
  func oneOwner() throws {
    try SampleStack.withContext { context in
      let player = context.insert("Player", ["name": "Ann"])
      try expectUnchanged(context, ownerOf: player, "Team") { player.setValue($0, forKey: "team") }
    }
  }

  @Test("deleting a player leaves its refreshed tag unchanged")
  func manyOwners() throws {
    try SampleStack.withContext { context in
      let player = context.insert("Player", ["name": "Ann"])
      try expectUnchanged(context, ownerOf: player, "Tag") {
        player.setValue(Set([$0]), forKey: "tags")
      }
    }
  }

  @Test("an owner that is not refreshed loses the deleted member")
  func unrefreshed() throws {
    try SampleStack.withContext { context in
      let player = context.insert("Player", ["name": "Ann"])
      let team = context.insert("Team", ["name": "A"])
      let tag = context.insert("Tag", ["label": "t"])
      try context.save()
      player.setValue(team, forKey: "team")
      player.setValue(Set([tag]), forKey: "tags")
      try context.save()
      context.delete(player)
      context.processPendingChanges()
      #expect(context.updatedObjects == [team, tag])
      for owner in [team, tag] {
        #expect((owner.value(forKey: "players") as? Set<NSManagedObject>)?.isEmpty == true)
      }
    }
  }

  @Test("a refreshed owner that the deleted member also has in the store loses the member")
  func storedOwner() throws {
    try SampleStack.withContext { context in
      let player = context.insert("Player", ["name": "Ann"])
      let team = context.insert("Team", ["name": "A"])
      player.setValue(team, forKey: "team")
      try context.save()
      // The player leaves the team and joins it again, so the changed value equals the stored one.
      player.setValue(nil, forKey: "team")
      player.setValue(team, forKey: "team")
      context.refresh(team, mergeChanges: false)
      context.delete(player)
      context.processPendingChanges()
      #expect((team.value(forKey: "players") as? Set<NSManagedObject>)?.isEmpty == true)
      try context.save()
      #expect((team.value(forKey: "players") as? Set<NSManagedObject>)?.isEmpty == true)
    }
  }
}
