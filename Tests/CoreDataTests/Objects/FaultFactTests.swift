import CoreData
import Testing

/// Sources: tests of FreeCoreData and CoreDataPlus, which pass with Apple's Core Data.
@Suite("Objects without a row can be faults")
struct FaultFactTests {
  @Test("A refreshed new object is a fault with default values, and can be saved")
  func newObjects() throws {
    try onEveryStore { kind, folder in
      let (_, context) = try kind.open(SampleStack.makeModel(), at: kind.url(in: folder))
      try context.performAndWait {
        let team = context.insert("Team", ["name": "Red"])
        let player = context.insert("Player", ["name": "Ann", "team": team])
        context.refresh(player, mergeChanges: false)
        #expect(player.isFault && player.isInserted)
        #expect(player.changedValues().isEmpty)
        player.willAccessValue(forKey: nil)
        #expect(!player.isFault && player.value(forKey: "name") == nil)
        context.refresh(player, mergeChanges: false)
        #expect(player.isFault)
        #expect(try context.all("Player", "name == nil") == [player])
        #expect(try context.all("Player", "name == 'Ann'").isEmpty)
        context.refresh(player, mergeChanges: false)
        try context.save()
        #expect(!player.isInserted && !player.objectID.isTemporaryID)
        #expect(player.value(forKey: "name") == nil && player.value(forKey: "team") == nil)
        player.setValue("Bea", forKey: "name")
        try context.save()
        context.reset()
        #expect(try context.all("Player").map { $0["name"] as String? } == ["Bea"])
      }
    }
  }

  @Test("An object that a reset released is a fault until it is accessed, and then has no values")
  func afterReset() throws {
    let stack = try SampleStack()
    let context = stack.context
    try context.performAndWait {
      let team = context.insert("Team", ["name": "Red"])
      try context.save()
      context.reset()
      #expect(team.isFault && team.managedObjectContext == nil)
      team.willAccessValue(forKey: nil)
      #expect(!team.isFault && team.value(forKey: "name") == nil)
      #expect((team.value(forKey: "players") as? NSSet)?.count ?? 0 == 0)
    }
  }
}
