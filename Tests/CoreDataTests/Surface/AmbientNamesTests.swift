import CoreData
import Testing

/// Names that sources for Apple's platforms get from other frameworks. This file imports only what
/// such sources import.
@Suite("Names from other frameworks of Apple's platforms")
struct AmbientNamesTests {
  @Test("autoreleasepool returns what its block returns, and throws what it throws")
  func autoreleasePool() throws {
    #expect(autoreleasepool { 1 + 1 } == 2)
    #expect(throws: CocoaError.self) { try autoreleasepool { throw CocoaError(.coreData) } }
    let sum: Int = autoreleasepool {
      let half = 20
      return half + half
    }
    #expect(sum == 40)
  }

  @Test("Index paths have rows and items")
  func places() {
    let row = IndexPath(row: 3, section: 1)
    #expect(row == IndexPath(item: 3, section: 1))
    #expect((row.section, row.row, row.item) == (1, 3, 3))
  }

  @Test("Resources can be listed as URL and as NSURL values")
  func resources() throws {
    let folder = try TemporaryFolder()
    try Data().write(to: folder.url.appendingPathComponent("a.momd"))
    let bundle = try #require(Bundle(url: folder.url))
    let urls: [URL]? = bundle.urls(forResourcesWithExtension: "momd", subdirectory: nil)
    #expect(urls?.map(\.lastPathComponent) == ["a.momd"])
    let others = bundle.urls(forResourcesWithExtension: "momd", subdirectory: nil)
    #expect(others?.count == 1)
    let named: [URL]? = Bundle.urls(
      forResourcesWithExtension: "momd", subdirectory: nil, in: folder.url)
    #expect(named?.map(\.lastPathComponent) == ["a.momd"])
  }

  @Test("The types in signatures of key-value observing and of error pointers exist")
  func signatures() {
    func observe(
      _ options: NSKeyValueObservingOptions, _ change: [NSKeyValueChangeKey: Any]?,
      _ error: NSErrorPointer
    ) -> Int { (change?[.newKey] as? Int ?? 0) + Int(options.rawValue) }
    #expect(observe([.new, .old], [.newKey: 1, .kindKey: NSKeyValueChange.setting], nil) == 4)
    #expect(Selector("compare:").description == "compare:")
  }

  @Test("An associated value lives as long as its object")
  func associatedObjects() {
    let owner = NSAttributeDescription()
    let text = NSMutableString(string: "a")
    objc_setAssociatedObject(owner, &Keys.first, text, .OBJC_ASSOCIATION_RETAIN_NONATOMIC)
    objc_setAssociatedObject(owner, &Keys.second, text, .OBJC_ASSOCIATION_COPY)
    text.append("b")
    #expect(objc_getAssociatedObject(owner, &Keys.first) as? NSMutableString === text)
    #expect(objc_getAssociatedObject(owner, &Keys.second) as? String == "a")
    #expect(objc_getAssociatedObject(NSAttributeDescription(), &Keys.first) == nil)
    objc_setAssociatedObject(owner, &Keys.first, nil, .OBJC_ASSOCIATION_ASSIGN)
    #expect(objc_getAssociatedObject(owner, &Keys.first) == nil)
    #expect(objc_getAssociatedObject(owner, &Keys.second) as? String == "a")
    objc_removeAssociatedObjects(owner)
    #expect(objc_getAssociatedObject(owner, &Keys.second) == nil)
  }

  @Test("An assigned object is not retained, but an assigned value is kept")
  func assignedObjects() {
    let owner = NSAttributeDescription()
    var value: NSObject? = NSObject()
    objc_setAssociatedObject(owner, &Keys.first, value, .OBJC_ASSOCIATION_ASSIGN)
    #expect(objc_getAssociatedObject(owner, &Keys.first) as? NSObject === value)
    value = nil
    #expect(objc_getAssociatedObject(owner, &Keys.first) == nil)
    objc_setAssociatedObject(owner, &Keys.first, type(of: owner), .OBJC_ASSOCIATION_ASSIGN)
    #expect(objc_getAssociatedObject(owner, &Keys.first) is NSAttributeDescription.Type)
    objc_setAssociatedObject(owner, &Keys.first, NSNumber(value: 7), .OBJC_ASSOCIATION_ASSIGN)
    #expect(objc_getAssociatedObject(owner, &Keys.first) as? Int == 7)
  }

  @Test("A managed object's associated values are released after its deinit")
  func managedObjects() throws {
    let context = try SampleStack().context
    final class Value {
      let onEnd: () -> Void
      init(_ onEnd: @escaping () -> Void) { self.onEnd = onEnd }
      deinit { onEnd() }
    }
    context.performAndWait {
      let entity = context.persistentStoreCoordinator?.managedObjectModel.entitiesByName["Player"]
      var news: [String] = []
      var object: LastWords? = LastWords(entity: entity ?? NSEntityDescription(), insertInto: nil)
      object?.say = { news.append("\(objc_getAssociatedObject($0, &Keys.first) is Value)") }
      objc_setAssociatedObject(
        object as Any, &Keys.first, Value { news.append("ended") }, .OBJC_ASSOCIATION_RETAIN)
      object = nil
      #expect(news == ["true", "ended"])
    }
  }

  @Test("An NSFastEnumerationIterator iterates the members of a set")
  func iterators() {
    func all(_ iterator: NSFastEnumerationIterator) -> [Int] {
      IteratorSequence(iterator).compactMap { $0 as? Int }.sorted()
    }
    #expect(all(NSSet(array: [2, 1]).makeIterator()) == [1, 2])
    #expect(all(NSMutableSet(array: [3]).makeIterator()) == [3])
    #expect(all(NSOrderedSet(array: [5, 4]).makeIterator()) == [4, 5])
  }

  @Test("A constraint conflict can be made without arguments")
  func emptyConflict() {
    let conflict = NSConstraintConflict()
    #expect(conflict.constraint.isEmpty && conflict.conflictingObjects.isEmpty)
    #expect(conflict.databaseObject == nil && conflict.databaseSnapshot == nil)
  }

  @Test("Classes can have associated values")
  func classes() {
    objc_setAssociatedObject(Keeper.self, &Keys.first, 1, .OBJC_ASSOCIATION_RETAIN)
    #expect(objc_getAssociatedObject(Keeper.self, &Keys.first) as? Int == 1)
    #expect(objc_getAssociatedObject(NSAttributeDescription.self, &Keys.first) == nil)
    objc_removeAssociatedObjects(Keeper.self)
    #expect(objc_getAssociatedObject(Keeper.self, &Keys.first) == nil)
  }

  private class Keeper {}

  @Test(
    "Values of a deallocated object are released, and not found for another at its address")
  func endedOwners() {
    weak var first: NSObject?
    // An object without values that usually gets the address of the first owner. The later owners then share
    // another address, so that none of them replaces the first owner's value.
    var holder: NSAttributeDescription?
    defer { withExtendedLifetime(holder) {} }
    // Values of deallocated objects are released when enough other objects have received values. Other
    // tests add values at the same time.
    var number = 0
    while number < 1000 || first != nil && number < 1_000_000 {
      defer { number += 1 }
      if number == 1 { holder = NSAttributeDescription() }
      let owner = NSAttributeDescription()
      #expect(objc_getAssociatedObject(owner, &Keys.first) == nil)
      let value = NSObject()
      if number == 0 { first = value }
      objc_setAssociatedObject(owner, &Keys.first, value, .OBJC_ASSOCIATION_RETAIN)
    }
    #expect(first == nil)
  }

  /// Variables whose addresses are the keys.
  private enum Keys {
    nonisolated(unsafe) static var first: Void?
    nonisolated(unsafe) static var second: Void?
  }
}

/// Calls a closure in its deinit.
private class LastWords: NSManagedObject {
  var say: (LastWords) -> Void = { _ in }
  deinit { say(self) }
}
