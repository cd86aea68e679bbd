import CoreData
import Synchronization
import Testing

@Suite(
  "Contexts on many threads", .serialized,
  .only(
    [.sqlite, .inMemory],
    "in other stores each save writes a whole file, which takes minutes in total"))
struct ThreadTests {
  @Test("no save is lost when four contexts save 200 times each while another one fetches")
  func saves() throws {
    let stack = try SampleStack()
    let sharedID = try stack.context.performAndWait {
      let shared = stack.context.insert("Locker", ["number": 0])
      try stack.context.save()
      return shared.objectID
    }
    let (writers, rounds) = (4, 200)
    let conflicts = Atomic<Int>(0)
    let failures = Failures()
    let running = Atomic<Int>(writers)
    let group = DispatchGroup()
    for writer in 0..<writers {
      thread(group) {
        defer { running.subtract(1, ordering: .relaxed) }
        let context = stack.newContext()
        context.performAndWait {
          let shared = context.object(with: sharedID)
          for round in 0..<rounds {
            while true {
              do {
                let count: Int = shared["number"] ?? -1
                shared.setValue(count + 1, forKey: "number")
                context.insert("Player", ["number": writer * rounds + round, "name": "\(writer)"])
                try context.save()
                break
              } catch let error as NSError where error.code == NSManagedObjectMergeError {
                conflicts.add(1, ordering: .relaxed)
                context.rollback()
                context.refresh(shared, mergeChanges: false)
              } catch {
                failures.add("\(error)")
                return
              }
            }
          }
        }
      }
    }
    stack.context.performAndWait {
      var last = 0
      while running.load(ordering: .relaxed) > 0 {
        do {
          let found = try stack.context.all("Player", sort: ["name", "number"])
          if found.count < last { failures.add("\(found.count) players after \(last)") }
          last = found.count
          for player in found.suffix(3) where player.value(forKey: "number") == nil {
            failures.add("a player without number")
          }
        } catch {
          failures.add("\(error)")
        }
      }
    }
    group.wait()
    #expect(failures.all == [])
    let fresh = try stack.reopened()
    try fresh.context.performAndWait {
      let numbers = try fresh.context.all("Player", sort: ["number"]).compactMap {
        $0.value(forKey: "number") as? Int
      }
      #expect(numbers == Array(0..<writers * rounds))
      let count: Int? = try fresh.context.all("Locker").first?["number"]
      #expect(count == writers * rounds)
    }
    print("contexts on many threads: \(conflicts.load(ordering: .relaxed)) conflicts")
  }

  @Test("controllers sorted through a relationship fetch on eight threads at once")
  func controllers() throws {
    let stack = try SampleStack()
    try stack.context.performAndWait {
      for number in 0..<200 {
        let team = stack.context.insert("Team", ["name": "\(number % 50)"])
        stack.context.insert("Player", ["number": number, "team": team])
      }
      try stack.context.save()
    }
    let group = DispatchGroup()
    let failures = Failures()
    for _ in 0..<8 {
      thread(group) {
        for _ in 0..<5 {
          let context = stack.newContext()
          context.performAndWait {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
            request.sortDescriptors = [NSSortDescriptor(key: "team.name", ascending: true)]
            let controller = NSFetchedResultsController(
              fetchRequest: request, managedObjectContext: context,
              sectionNameKeyPath: "team.name", cacheName: nil)
            do {
              try controller.performFetch()
              if controller.sections?.count != 50 { failures.add("sections are missing") }
            } catch {
              failures.add("\(error)")
            }
          }
        }
      }
    }
    #expect(group.wait(timeout: .now() + 3600) == .success, "threads wait for each other")
    #expect(failures.all == [])
  }

  private func thread(_ group: DispatchGroup, _ body: @escaping @Sendable () -> Void) {
    group.enter()
    Thread {
      body()
      group.leave()
    }.start()
  }

  static func folder() throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "opencoredata-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }
}

/// The failures of all threads.
private final class Failures: Sendable {
  private let texts = Mutex<[String]>([])
  func add(_ text: String) { texts.withLock { $0.append(text) } }
  var all: [String] { texts.withLock { $0 } }
}
