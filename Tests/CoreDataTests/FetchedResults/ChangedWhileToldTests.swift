import CoreData
import CoreDataTestSupport
import Testing

/// What those who are told of a change do at once.
@Suite("Fetched results whose changes lead to others at once", .onEveryStore)
struct ChangedWhileToldTests {
  /// Does something when the context has told of a change, once.
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

  @Test("a deletion that is rolled back while a change of the row is told is told once")
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
      _ = scene.told()
      #expect(scene.names == [["Ann", "Bob", "Cem"]])
      #expect(!ann.isDeleted && ann.value(forKey: "age") as? Int == 1)
    }
  }

  @Test("what is inserted while a reset is told is shown")
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
      _ = scene.told()
      #expect(scene.names == [["Dan"]])
    }
  }
}
