import CoreData
import FixtureSupport
import Testing

// Apple's page on "Transformable" attributes sets no limit to how deeply a value nests collections. Recursion over
// 2,000 levels overflows the tests' small stack (`onSmallStack`) if each level needs more than about 130 bytes.

@Suite(
  "Deep values",
  .only(
    TestedStore.allCases, "a custom store receives such values and must release them itself"))
struct DeepValueTests {
  /// The depths, and whether dictionaries and arrays alternate.
  static let cases = [
    (150, false), (WholeRun.steps(2_000, whole: 4_000), false), (2_000, true),
  ]

  /// Returns whether a case is tried on the current kind of store. By default, each kind has the shallow case and one of
  /// the deep ones.
  private static func includes(depth: Int, withDictionaries: Bool) -> Bool {
    let kind = TestedStore.everyKind.firstIndex(of: StoreScope.current.kind) ?? 0
    return WholeRun.isChosen || depth < 1_000 || withDictionaries != kind.isMultiple(of: 2)
  }

  private static func makeModel() -> NSManagedObjectModel {
    let box = NSEntityDescription()
    box.name = "Box"
    box.properties = [
      SampleStack.attribute("number", .integer64AttributeType),
      SampleStack.attribute("content", .transformableAttributeType),
    ]
    let model = NSManagedObjectModel()
    model.entities = [box]
    return model
  }

  /// Returns arrays in arrays, or dictionaries and arrays in turn, `depth` levels around a string.
  private static func nested(_ depth: Int, withDictionaries: Bool) -> [Any] {
    var value: [Any] = ["core"]
    for level in 1..<depth {
      value = withDictionaries && level % 2 == 1 ? [["key": value] as [String: Any]] : [value]
    }
    return value
  }

  /// Follows one member at each level to the innermost one, and returns the depth and the text
  /// there.
  private static func look(_ value: Any?) -> (depth: Int, core: String?) {
    var (value, depth) = (value, 0)
    while true {
      switch value {
      case let list as [Any]:
        value = list.first
        depth += 1
      case let table as [AnyHashable: Any]: value = table["key"]
      default: return (depth, value as? String)
      }
    }
  }

  /// Returns Foundation's arrays in arrays, or dictionaries in dictionaries around an array, `depth` levels around a
  /// string.
  private static func foundation(_ depth: Int, withDictionaries: Bool) -> NSObject {
    var value = NSArray(object: "core" as NSString) as NSObject
    for _ in 1..<depth {
      value =
        withDictionaries
        ? NSDictionary(object: value, forKey: "key" as NSString) : NSArray(object: value)
    }
    return value
  }

  /// Returns the number of levels of an object's value, up to a limit. The caller does not hold the value, because
  /// releasing the last reference to it needs a deep stack.
  private static func levels(of box: NSManagedObject, limit: Int) -> Int {
    var (value, levels) = (box.value(forKey: "content"), 0)
    // Without the limit, deep values would be slow: at each level, Foundation converts all contents of the collection
    // again.
    while levels < limit {
      if let list = value as? [Any] {
        value = list.first
      } else if let table = value as? [AnyHashable: Any] {
        value = table["key"]
      } else {
        break
      }
      levels += 1
    }
    return levels
  }

  @Test(arguments: cases)
  func `Deeply nested Foundation collections are saved, read again, printed and released`(
    depth: Int, withDictionaries: Bool
  ) throws {
    guard Self.includes(depth: depth, withDictionaries: withDictionaries) else { return }
    let stack = try SampleStack(model: Self.makeModel())
    func set(_ box: NSManagedObject) {
      box.setValue(Self.foundation(depth, withDictionaries: withDictionaries), forKey: "content")
    }
    try onSmallStack {
      try stack.context.performAndWait {
        let context = stack.context
        let box = context.insert("Box", ["number": 1])
        set(box)
        try box.validateForInsert()
        #expect("\(box)".contains("core"))
        try context.save()
        context.refresh(box, mergeChanges: false)
        let levels = Self.levels(of: box, limit: depth < 1_000 ? depth + 1 : 1)
        #expect(depth < 1_000 ? levels == depth : levels == 1)
        set(box)
        try context.save()
        set(box)
        context.rollback()
        context.delete(box)
        try context.save()
        context.reset()
      }
    }
  }

  @Test(arguments: cases)
  func `A deeply nested value is validated, saved, read again, printed, copied and released`(
    depth: Int, withDictionaries: Bool
  ) throws {
    guard Self.includes(depth: depth, withDictionaries: withDictionaries) else { return }
    let stack = try SampleStack(model: Self.makeModel())
    // Releasing the last reference to such a value needs a deep stack. Here the library always
    // holds it.
    func set(_ box: NSManagedObject) {
      box.setValue(Self.nested(depth, withDictionaries: withDictionaries), forKey: "content")
    }
    try onSmallStack {
      try stack.context.performAndWait {
        let context = stack.context
        context.undoManager = UndoManager()
        let box = context.insert("Box", ["number": 1])
        set(box)
        try box.validateForInsert()
        try context.save()
        #expect(Self.look(box.value(forKey: "content")) == (depth, "core"))
        context.refresh(box, mergeChanges: false)
        #expect(Self.look(box.value(forKey: "content")) == (depth, "core"))
        // Replaces the value with an equal one, with another one, and with nil.
        set(box)
        try context.save()
        set(box)
        #expect(box.changedValues().isEmpty)
        context.undo()
        context.redo()
        box.setValue(nil, forKey: "content")
        context.rollback()
        #expect("\(box)".contains("core"))
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = context
        let id = box.objectID
        try child.performAndWait {
          let twin = try child.existingObject(with: id)
          #expect(Self.look(twin.value(forKey: "content")) == (depth, "core"))
          set(twin)
          try child.save()
        }
        try context.save()
        context.delete(box)
        try context.save()
        context.reset()
      }
    }
  }
}
