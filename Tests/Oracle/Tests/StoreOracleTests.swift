import CoreData
import Testing

@Suite("Models and stores") struct StoreOracleTests {
  @Test func `The version hashes of a model`() throws {
    let hashes = OracleStack.makeModel().entityVersionHashesByName.mapValues { hash in
      hash.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
    #expect(
      hashes == [
        "Locker": "ccd333e5ef5a8f7c800c4266eec93c7f431672a048984fee8c954b291b65994b",
        "Player": "7c5304981191c59ff52ffd46e2b5c1c4b9bd4c1555e3f046c59b94331d0db085",
        "Team": "ae2bb2fc2272d7c4f792da17afcb9ad227247a12598a75f58ebf95c330d86a90",
      ])
  }

  private static func path(_ name: String) -> String? {
    ProcessInfo.processInfo.environment["OPENCOREDATA_ORACLE_\(name)"]
  }

  /// `scripts/oracle --write FILE` sets the variable.
  @Test(.enabled(if: path("WRITE") != nil, "no store is to be written"))
  func `A store is written for the other implementation`() throws {
    let stack = try OracleStack(at: URL(fileURLWithPath: try #require(Self.path("WRITE"))))
    try stack.context.performAndWait {
      let red = stack.context.insert("Team", ["name": "Red"])
      stack.context.insert("Player", ["name": "Ann", "age": 36, "score": 2.5, "team": red])
      stack.context.insert("Player", ["name": "Zoë"])
      try stack.context.save()
    }
    // Removing the store moves its write-ahead log into the file.
    for store in stack.coordinator.persistentStores { try stack.coordinator.remove(store) }
  }

  /// `scripts/oracle --read FILE` sets the variable.
  @Test(.enabled(if: path("READ") != nil, "no store is to be read"))
  func `A store that the other implementation wrote is read and changed`() throws {
    let stack = try OracleStack(at: URL(fileURLWithPath: try #require(Self.path("READ"))))
    let context = stack.context
    try context.performAndWait {
      #expect(try context.players() == ["Ann", "Zoë"])
      #expect(try context.players("age == 36 AND score == 2.5 AND team.name == 'Red'") == ["Ann"])
      #expect(try context.players("age == nil AND team == nil") == ["Zoë"])
      context.insert("Player", ["name": "Bob"])
      try context.save()
      context.reset()
      #expect(try context.players() == ["Ann", "Bob", "Zoë"])
    }
    for store in stack.coordinator.persistentStores { try stack.coordinator.remove(store) }
  }
}
