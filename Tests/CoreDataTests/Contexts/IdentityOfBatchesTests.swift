import CoreData
import Foundation
import Testing

/// Batch requests that refer to newly saved objects by the temporary IDs that the objects had before the save. Sources:
/// see `IdentityTests`, and Apple's "NSBatchDeleteRequest" page on `init(objectIDs:)`.
@Suite("Identity in batch requests")
struct IdentityOfBatchesTests {
  typealias Chain = IdentityTests.Chain

  @Test(
    "a batch update finds a newly saved object by the object or by its former ID",
    arguments: IdentityTests.chains)
  func update(_ kind: Chain) async throws {
    let chain = try kind.make()
    try await chain.run {
      let kid = chain.deepest
      let red = kid.insert("Team", ["name": "Red"])
      let ann = kid.insert("Player", ["name": "Ann", "team": red])
      kid.insert("Player", ["name": "Bob"])
      let (annID, redID) = (ann.objectID, red.objectID)
      try chain.save()
      for (number, predicate) in [
        NSPredicate(format: "SELF == %@", ann), NSPredicate(format: "SELF == %@", annID),
        NSPredicate(format: "SELF IN %@", [annID]), NSPredicate(format: "team == %@", redID),
      ].enumerated() {
        let request = NSBatchUpdateRequest(entityName: "Player")
        request.predicate = predicate
        request.propertiesToUpdate = ["age": number + 1]
        request.resultType = .updatedObjectIDsResultType
        let result = try kid.execute(request) as? NSBatchUpdateResult
        #expect(result?.result as? [NSManagedObjectID] == [ann.objectID], "\(predicate)")
      }
    }
    let ages = try chain.stack.reading {
      try $0.all("Player", sort: ["name"]).map { $0["age"] ?? 0 }
    }
    #expect(ages == [4, 0])
  }

  @Test(
    "a batch deletion finds a newly saved object by its former ID",
    arguments: IdentityTests.chains)
  func delete(_ kind: Chain) async throws {
    let chain = try kind.make()
    try await chain.run {
      let kid = chain.deepest
      let ann = kid.insert("Player", ["name": "Ann"])
      let bob = kid.insert("Player", ["name": "Bob"])
      kid.insert("Player", ["name": "Cid"])
      let before = NSBatchDeleteRequest(objectIDs: [ann.objectID])
      #expect(throws: NSError.self) { try kid.execute(before) }
      let (annID, bobID) = (ann.objectID, bob.objectID)
      try chain.save()
      before.resultType = .resultTypeObjectIDs
      let first = try kid.execute(before) as? NSBatchDeleteResult
      #expect(first?.result as? [NSManagedObjectID] == [ann.objectID])
      #expect(annID.isTemporaryID)
      let fetch = NSFetchRequest<any NSFetchRequestResult>(entityName: "Player")
      fetch.predicate = NSPredicate(format: "SELF == %@", bobID)
      let request = NSBatchDeleteRequest(fetchRequest: fetch)
      request.resultType = .resultTypeCount
      #expect((try kid.execute(request) as? NSBatchDeleteResult)?.result as? Int == 1)
    }
    #expect(try chain.stored("Player", "name") == ["Cid"])
  }
}
