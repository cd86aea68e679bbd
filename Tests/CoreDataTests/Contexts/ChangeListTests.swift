import FixtureSupport
import Testing

@testable import CoreData

@Suite("Lists of changed objects")
struct ChangeListTests {
  @Test("A list and its copies have the elements of a plain array, in the same order")
  func randomChanges() throws {
    let stack = try SampleStack()
    let entity = try #require(stack.model.entitiesByName["Player"])
    let objects = (0..<60).map { _ in NSManagedObject(entity: entity, insertInto: nil) }
    var random = SeededGenerator("ChangeList")
    for round in 0..<40 {
      var (list, naive) = (ChangeList(), [NSManagedObject]())
      var (copy, naiveCopy) = (ChangeList(), [NSManagedObject]())
      for step in 0..<300 {
        let object = objects[Int.random(in: 0..<objects.count, using: &random)]
        let isThere = naive.contains { $0 === object }
        switch Int.random(in: 0..<12, using: &random) {
        case 0...3:
          #expect(list.insert(object) == !isThere)
          if !isThere { naive.append(object) }
        case 4 where !isThere:
          list.append(object)
          naive.append(object)
        case 5...7:
          #expect(list.remove(object) == isThere)
          naive.removeAll { $0 === object }
        case 8: (copy, naiveCopy) = (list, naive)
        case 9:
          // The lists continue from the same elements. Neither sees changes to the other.
          swap(&list, &copy)
          swap(&naive, &naiveCopy)
        case 10 where step % 7 == 0:
          list.removeAll { $0 === object || $0 === objects[0] }
          naive.removeAll { $0 === object || $0 === objects[0] }
        default: #expect(list.contains(object) == isThere)
        }
        #expect(list.count == naive.count, "seed \(random.seed), round \(round), step \(step)")
        #expect(list.isEmpty == naive.isEmpty)
        #expect(list.elementsEqual(naive, by: ===))
        #expect(copy.elementsEqual(naiveCopy, by: ===))
        #expect(list.checkInvariants() == nil)
        #expect(copy.checkInvariants() == nil)
      }
      for object in objects {
        #expect(list.contains(object) == naive.contains { $0 === object })
        #expect(copy.contains(object) == naiveCopy.contains { $0 === object })
      }
    }
  }

  @Test("A list detects an object that was appended twice")
  func objectTwice() throws {
    let stack = try SampleStack()
    let entity = try #require(stack.model.entitiesByName["Player"])
    let object = NSManagedObject(entity: entity, insertInto: nil)
    var list = ChangeList()
    list.append(object)
    #expect(list.checkInvariants() == nil)
    list.append(object)
    #expect(list.checkInvariants() == "the list has an object twice")
    #expect(
      ChangeList.checkInvariants(of: ["first": ChangeList(), "second": list])
        == "second objects: the list has an object twice")
  }
}
