import Synchronization
import Testing

@testable import CoreData
@testable import SQLiteEngine

/// Signals when an object's value is converted for the store.
private final class SignallingTransformer: ColorTransformer {
  static let didTransform = DispatchSemaphore(value: 0)

  override func transformedValue(_ value: Any?) -> Any? {
    defer { Self.didTransform.signal() }
    return super.transformedValue(value)
  }
}

@Suite("The time at which rows are written", .serialized)
struct TransactionTimeTests {
  /// A reader that looks for rows newer than its newest one must not miss any.
  @Test(
    "A later save has a later time, even if it read its objects before the earlier save ended",
    arguments: [true, false])
  func order(_ isNew: Bool) throws {
    let model = SampleStack.makeModel()
    let changed = NSDerivedAttributeDescription()
    changed.name = "changed"
    changed.attributeType = .dateAttributeType
    changed.derivationExpression = NSExpression(format: "now()")
    model.entitiesByName["Team"]?.properties.append(changed)
    let color = SampleStack.attribute("color", .transformableAttributeType)
    ValueTransformer.setValueTransformer(SignallingTransformer(), forName: .init("TestSignals"))
    color.valueTransformerName = "TestSignals"
    model.entitiesByName["Tag"]?.properties.append(color)
    let folder = try TemporaryFolder()
    let opened = try TestedStore.sqlite.open(model, at: folder.file("store.sqlite"))
    let engine = try #require(opened.store.engine as? SQLiteStore)
    let context = opened.context
    let team = try context.performAndWait {
      let team = context.insert("Team", ["name": "Reds"])
      // The tag's value is converted after the team's.
      let tag = context.insert("Tag", ["label": "tall", "color": Color(red: 1, green: 2, blue: 3)])
      if !isNew {
        try context.save()
        team["name"] = "Blues"
        tag["color"] = Color(red: 3, green: 2, blue: 1)
      }
      return team
    }
    while SignallingTransformer.didTransform.wait(timeout: .now()) == .success {}
    let isWriting = DispatchSemaphore(value: 0)
    let mayEnd = DispatchSemaphore(value: 0)
    let ended = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      try? engine.pool.write { _ in
        isWriting.signal()
        mayEnd.wait()
      }
      ended.signal()
    }
    isWriting.wait()
    let failure = Mutex<(any Error)?>(nil)
    context.perform {
      do { try context.save() } catch { failure.withLock { $0 = error } }
      ended.signal()
    }
    SignallingTransformer.didTransform.wait()
    let others = Date()
    mayEnd.signal()
    ended.wait()
    ended.wait()
    #expect(failure.withLock { $0 } == nil)
    let written = try context.performAndWait {
      context.refresh(team, mergeChanges: false)
      return try #require(team["changed"] as Date?)
    }
    #expect(written >= others)
  }
}
