import CoreData
import CoreDataTestSupport
import Testing

/// Observers that change objects while they receive a notification.
@Suite("Fetched results that change while a change is being posted", .onEveryStore)
struct ChangesInObserversTests {
  /// Runs a closure once, when the context posts its next change.
  private func onNextChange(
    of context: NSManagedObjectContext, _ body: @escaping () -> Void
  ) -> any NSObjectProtocol {
    let rest = Unchecked<(() -> Void)?>(body)
    return NotificationCenter.default.addObserver(
      forName: .NSManagedObjectContextObjectsDidChange, object: context, queue: nil
    ) { _ in
      let body = rest.value
      rest.value = nil
      body?()
    }
  }

  @Test("a deletion that an observer makes and rolls back leaves the row in the results")
  func rolledBack() throws {
    try LiveScene.run([("Ann", 1), ("Bob", 3), ("Cem", 5)]) { scene in
      let context = scene.context
      let ann = try scene["Ann"]
      let token = onNextChange(of: context) {
        context.delete(ann)
        context.rollback()
      }
      defer { NotificationCenter.default.removeObserver(token) }
      ann.setValue(4, forKey: "age")
      context.processPendingChanges()
      _ = scene.report()
      #expect(scene.names == [["Ann", "Bob", "Cem"]])
      #expect(!ann.isDeleted && ann.value(forKey: "age") as? Int == 1)
    }
  }

  @Test("an object that an observer inserts after a reset is in the results")
  func insertedAfterReset() throws {
    try LiveScene.run([("Ann", 1)]) { scene in
      let context = scene.context
      let ann = try scene["Ann"]
      let token = onNextChange(of: context) {
        context.reset()
        context.insert("Player", ["name": "Dan", "age": 2])
      }
      defer { NotificationCenter.default.removeObserver(token) }
      ann.setValue(4, forKey: "age")
      context.processPendingChanges()
      _ = scene.report()
      #expect(scene.names == [["Dan"]])
    }
  }
}
