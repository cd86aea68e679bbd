import FixtureSupport
import Foundation
import Testing

@testable import CoreData

/// A program that writes without the triggers of a spatial fetch index leaves an R-tree that does
/// not find the changed rows.
@Suite("Verification of spatial fetch indexes")
struct IndexVerificationTests {
  private let folder: TemporaryFolder
  private let url: URL

  private static func makeModel() -> NSManagedObjectModel {
    func index(_ name: String, _ keys: [String]) -> NSFetchIndexDescription {
      NSFetchIndexDescription(
        name: name,
        elements: keys.map {
          NSFetchIndexElementDescription(propertyName: $0, collationType: .rTree)
        })
    }
    let model = SampleStack.makeModel()
    model.entitiesByName["Player"]?.indexes = [index("loc", ["score", "number"])]
    model.entitiesByName["Captain"]?.indexes = [index("start", ["since"])]
    return model
  }

  init() throws {
    folder = try TemporaryFolder()
    url = folder.file("store.sqlite")
    let stack = try SampleStack(url: url, model: Self.makeModel())
    try stack.context.performAndWait {
      for number in 0..<9 {
        stack.context.insert(
          number % 3 == 2 ? "Captain" : "Player",
          ["number": number, "score": number == 4 ? nil : Double(number) / 3 * 1e9])
      }
      try stack.context.save()
    }
    for store in stack.coordinator.persistentStores { try stack.coordinator.remove(store) }
  }

  private func verify(repairing: Bool = false) throws -> StoreVerification {
    try NSPersistentStoreCoordinator.verifyPersistentStore(at: url, repairing: repairing)
  }

  @Test(arguments: [
    "UPDATE ZPLAYER SET ZSCORE = 7 WHERE ZNUMBER = 3",
    "UPDATE ZPLAYER SET ZSCORE = 7 WHERE ZNUMBER = 4",
    "DELETE FROM Z_RT_Player_loc WHERE Z_PK = 2",
    "UPDATE Z_RT_Player_loc SET ZNUMBER_MAX = 100, ZNUMBER_MIN = 90 WHERE Z_PK = 2",
    "INSERT INTO Z_RT_Player_loc SELECT 77, 0, 0, 0, 0",
  ])
  func `Rows in the wrong place in an index are listed, and the index is rebuilt`(
    change: String
  ) throws {
    #expect(try verify().findings == [])
    let plain = try PlainDatabase(url)
    for row in try plain.values("SELECT name FROM sqlite_schema WHERE type = 'trigger'") {
      try plain.execute("DROP TRIGGER \"\(row[0].text ?? "")\"")
    }
    try plain.execute(change)
    let found = try verify().findings
    #expect(found.map(\.kind) == [.index] && found.map(\.entity) == ["Player"])
    #expect(found.map(\.count) == [1] && found.first?.isRepairable == true)
    #expect(try verify(repairing: true).isIntact)
    #expect(try verify().findings == [])
    let stack = try SampleStack(url: url, model: Self.makeModel())
    try stack.context.performAndWait {
      let named = try stack.context.all("Player", "indexed:by:(score, 'loc') >= 0")
      #expect(Set(named) == Set(try stack.context.all("Player", "score >= 0")))
    }
  }
}
