import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

/// Contexts obtain permanent IDs while contexts below them run on other threads.
@Suite("Identity on threads")
struct IdentityThreadTests {
  @Test("contexts that are saved and read concurrently keep one object per row")
  func saving() throws {
    let chain = try ContextChain(depth: 3, .otherThread)
    let kid = chain.deepest
    // A controller observes its context as long as it has a delegate.
    let table = RecordingTable()
    defer { withExtendedLifetime(table) {} }
    let controller = try kid.performAndWait {
      let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
      request.sortDescriptors = [NSSortDescriptor(key: "number", ascending: true)]
      let controller = NSFetchedResultsController(
        fetchRequest: request, managedObjectContext: kid, sectionNameKeyPath: nil, cacheName: nil)
      controller.delegate = table
      try controller.performFetch()
      table.load(controller)
      return Box(controller)
    }
    let kept = Box([NSManagedObject]())
    let rounds = 60
    let errors = Box([String]())
    @Sendable func check(_ body: () throws -> Void) {
      do { try body() } catch { kid.performAndWait { errors.value.append("\(error)") } }
    }
    DispatchQueue.concurrentPerform(iterations: 3) { worker in
      for round in 0..<rounds {
        switch worker {
        case 0:
          check {
            try kid.performAndWait {
              let team = kid.insert("Team", ["name": "\(round)"])
              let player = kid.insert("Player", ["number": Int32(round), "team": team])
              kept.value.append(player)
              if let earlier = kept.value.dropLast(3).last { earlier.setValue(1, forKey: "age") }
              try kid.save()
            }
          }
        case 1:
          check {
            for context in chain.contexts.dropLast().reversed() {
              try context.performAndWait { try context.save() }
            }
          }
        default:
          check {
            try kid.performAndWait {
              let found = try kid.all("Player")
              if Set(found.map(\.objectID)).count != found.count
                || found.count != kept.value.count || Set(found) != Set(kept.value)
              {
                errors.value.append("\(round): \(found.count) of \(kept.value.count)")
              }
              for player in found.suffix(3) {
                let team = player.value(forKey: "team") as? NSManagedObject
                if (team?.value(forKey: "players") as? NSSet) != NSSet(object: player) {
                  errors.value.append("\(round): the team of \(player)")
                }
              }
              if round.isMultiple(of: 7) { kid.refreshAllObjects() }
            }
          }
        }
      }
    }
    #expect(errors.value == [])
    try kid.performAndWait {
      try chain.save()
      #expect(kept.value.count == rounds)
      #expect(!kept.value.contains { $0.objectID.isTemporaryID || $0.managedObjectContext !== kid })
      #expect(try kid.all("Player", sort: ["number"]) == kept.value)
      kid.processPendingChanges()
      #expect(controller.value.fetchedObjects == kept.value)
    }
    #expect(try chain.stored("Team", "name").count == rounds)
  }

  private final class Box<Value>: @unchecked Sendable {
    var value: Value
    init(_ value: Value) { self.value = value }
  }

  @Test("a temporary ID is mapped to its permanent ID only as long as the temporary ID exists")
  func memory() throws {
    let chain = try ContextChain(depth: 2, .held)
    let kid = chain.deepest
    try kid.performAndWait {
      let ann = kid.insert("Player", ["name": "Ann"])
      var id: NSManagedObjectID? = ann.objectID
      let key = try #require(id).key
      #expect(TemporaryIDs.shared.contains(key))
      try chain.save()
      #expect(TemporaryIDs.shared.permanentID(of: key) == ann.objectID)
      #expect(id?.current == ann.objectID)
      kid.refreshAllObjects()
      id = nil
      #expect(!TemporaryIDs.shared.contains(key))
    }
  }
}
