import CoreData
import CoreDataTestSupport
import Testing

/// A member is added to an owner, the owner is refreshed, which discards its unsaved changes, and then the member is
/// deleted. Apple documents that a refresh without merging discards changes. It does not document whether the deletion
/// marks the owner as updated. Here it does not, because the owner has no changes.
///
/// Found by `scripts/soak graph --seed 101 --round 1458`.
@Suite("Owners that were refreshed since a member came", .onEveryStore)
struct RefreshedOwnerTests {
  /// A player comes to a saved owner, which is refreshed.
  private func expectUnchanged(
    _ context: NSManagedObjectContext, ownerOf player: NSManagedObject, _ entity: String,
    come: (NSManagedObject) -> Void
  ) throws {
    let owner = context.insert(entity, entity == "Tag" ? ["label": "t"] : [:])
    try context.save()
    come(owner)
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

  @Test("of a member with one owner")
  func oneOwner() throws {
    try SampleStack.withContext { context in
      let player = context.insert("Player", ["name": "Ann"])
      try expectUnchanged(context, ownerOf: player, "Team") { player.setValue($0, forKey: "team") }
    }
  }

  @Test("of a member with many owners")
  func manyOwners() throws {
    try SampleStack.withContext { context in
      let player = context.insert("Player", ["name": "Ann"])
      try expectUnchanged(context, ownerOf: player, "Tag") {
        player.setValue(Set([$0]), forKey: "tags")
      }
    }
  }

  @Test("an owner that is not refreshed loses the member")
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

  @Test("and with an owner that the deleted member has in the store, too")
  func storedOwner() throws {
    try SampleStack.withContext { context in
      let player = context.insert("Player", ["name": "Ann"])
      let team = context.insert("Team", ["name": "A"])
      player.setValue(team, forKey: "team")
      try context.save()
      // Away and back: written, and what the store has.
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
