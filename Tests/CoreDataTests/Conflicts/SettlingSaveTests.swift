import CoreData
import Testing

@Suite("Saves that resolve conflicts")
struct SettlingSaveTests {
  @Test("Policies resolve conflicts in stores of every kind")
  func everyStore() throws {
    for row in SettledPropertiesTests.table {
      try onEveryStore { kind, _ in
        let writers = try TwoWriters(.contexts, kind, policy: row.policy)
        let player = writers.here.insert("Player", ["name": "o", "age": 1])
        try writers.here.save()
        let twin = try writers.twin(player)
        twin["name"] = "t"
        twin["age"] = 2
        try writers.there.save()
        player["name"] = "h"
        try writers.here.save()
        let text = "\(kind) \(row.policy.mergeType)"
        #expect(
          player["name"] == row.both && writers.stored(player)?["name"] == row.both, "\(text)")
        #expect(player["age"] == (row.there == "o" ? 1 : 2), "\(text)")
        #expect(writers.stored(player)?["age"] == (row.there == "o" ? 1 : 2), "\(text)")
        #expect(!writers.here.hasChanges, "\(text)")
      }
    }
  }

  @Test("A save that resolves a conflict writes everything in one transaction")
  func oneTransaction() throws {
    let writers = try TwoWriters(policy: .mergeByPropertyObjectTrump)
    let player = writers.here.insert("Player", ["name": "Ann"])
    let team = writers.here.insert("Team", ["name": "Reds"])
    try writers.here.save()
    try writers.twin(player)["name"] = "there"
    try writers.there.save()
    // The save fails after the conflict is resolved. None of its rows may be in the store.
    player["name"] = "here"
    team["name"] = "Blues"
    writers.here.insert("Player", ["name": "new"])
    let file = try #require(writers.here.persistentStoreCoordinator?.persistentStores.first?.url)
    let database = try PlainDatabase(file)
    try database.execute(
      "CREATE TRIGGER refuse BEFORE INSERT ON ZPLAYER BEGIN SELECT RAISE(ABORT, 'no'); END")
    #expect(throws: NSError.self) { try writers.here.save() }
    #expect(writers.stored(player)?["name"] == "there")
    #expect(writers.stored(team)?["name"] == "Reds")
    #expect(try writers.reader().all("Player").count == 1)
    #expect(player["name"] == "here" && writers.here.insertedObjects.count == 1)
    try database.execute("DROP TRIGGER refuse")
    try writers.here.save()
    #expect(writers.stored(player)?["name"] == "here")
    #expect(writers.stored(team)?["name"] == "Blues")
    #expect(try writers.reader().all("Player").count == 2)
  }
}
