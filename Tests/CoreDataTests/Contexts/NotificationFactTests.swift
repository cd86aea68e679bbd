import CoreData
import Testing

/// The contents and times of notifications. Sources: Apple's pages for the notifications and for
/// `perform` and `performAndWait`; the session "Core Data Best Practices" (WWDC 2012); tests of
/// CoreDataPlus, which assert the behavior of Apple's Core Data.
@Suite("Notifications of contexts", .onEveryStore)
struct NotificationFactTests {
  @Test("a fetch posts no notifications")
  func fetches() throws {
    let stack = try SampleStack()
    let context = stack.context
    try context.performAndWait {
      for number in 0..<3 { context.insert("Player", ["number": number]) }
      try context.save()
      context.reset()
      let log = NotificationLog([context], names: ["context"])
      let players = try context.all("Player")
      for player in players { _ = player.value(forKey: "number") }
      context.processPendingChanges()
      #expect(log.lines == [])
    }
  }

  /// Source: tests of Big Nerd Ranch's CoreDataStack wait for such a deletion.
  @Test(
    "an object inserted and deleted in one event is posted as deleted, and not saved")
  func insertedAndDeleted() throws {
    let stack = try SampleStack()
    let context = stack.context
    try context.performAndWait {
      let changed = Recorder(.NSManagedObjectContextObjectsDidChange, of: context)
      let saved = Recorder(NSManagedObjectContext.didSaveObjectsNotification, of: context)
      let player = context.insert("Player")
      context.delete(player)
      context.processPendingChanges()
      let info = try #require(changed.notifications.first?.userInfo)
      #expect(info[NSDeletedObjectsKey] as? Set<NSManagedObject> == [player])
      #expect(info[NSInsertedObjectsKey] == nil)
      #expect(context.deletedObjects.isEmpty && !context.hasChanges)
      try context.save()
      let deleted = saved.notifications.first?.userInfo?[NSDeletedObjectsKey] as? NSSet
      #expect(deleted?.count ?? 0 == 0)
    }
  }

  @Test("a save after a reset posts its notifications with empty sets")
  func saveAfterReset() throws {
    let stack = try SampleStack()
    let context = stack.context
    try context.performAndWait {
      context.insert("Player")
      context.reset()
      let saved = Recorder(NSManagedObjectContext.didSaveObjectsNotification, of: context)
      let ids = Recorder(NSManagedObjectContext.didSaveObjectIDsNotification, of: context)
      try context.save()
      let info = try #require(saved.notifications.first?.userInfo)
      for key in [NSInsertedObjectsKey, NSUpdatedObjectsKey, NSDeletedObjectsKey] {
        #expect((info[key] as? Set<NSManagedObject>)?.isEmpty == true)
      }
      let idInfo = try #require(ids.notifications.first?.userInfo)
      for key in [NSInsertedObjectIDsKey, NSUpdatedObjectIDsKey, NSDeletedObjectIDsKey] {
        #expect((idInfo[key] as? Set<NSManagedObjectID>)?.isEmpty == true)
      }
    }
  }

  // Source: NSQueryGenerationToken's page: other stores have no generations.
  @Test(
    "a save posts the query generation of a pinned context only",
    .only([.sqlite], "other stores have no query generations"))
  func queryGeneration() throws {
    let stack = try SampleStack()
    let context = stack.context
    try context.performAndWait {
      let saved = Recorder(NSManagedObjectContext.didSaveObjectsNotification, of: context)
      context.insert("Player")
      try context.save()
      try context.setQueryGenerationFrom(.current)
      context.insert("Player")
      try context.save()
      let tokens = saved.notifications.map {
        $0.userInfo?[NSManagedObjectContextQueryGenerationKey] as? NSQueryGenerationToken
      }
      #expect(tokens.count == 2 && tokens[0] == nil && tokens[1] != nil)
    }
  }

  @Test("performAndWait runs on the calling thread, and notifications are posted there")
  func threads() throws {
    let stack = try SampleStack()
    let context = stack.context
    let caller = Thread.current
    nonisolated(unsafe) var posted: [Thread] = []
    let token = NotificationCenter.default.addObserver(
      forName: NSManagedObjectContext.didSaveObjectsNotification, object: context, queue: nil
    ) { _ in posted.append(Thread.current) }
    defer { NotificationCenter.default.removeObserver(token) }
    try context.performAndWait {
      #expect(Thread.current === caller)
      context.insert("Player")
      try context.save()
    }
    #expect(posted.count == 1 && posted.first === caller)
  }

  @Test("an object is posted once for all pending changes")
  func onceForAllChanges() throws {
    let stack = try SampleStack()
    let context = stack.context
    context.performAndWait {
      let player = context.insert("Player")
      player.setValue("a", forKey: "name")
      player.setValue("b", forKey: "name")
      let log = NotificationLog([context], names: ["context"])
      context.processPendingChanges()
      context.processPendingChanges()
      #expect(log.lines == ["context changed inserted 1"])
      player.setValue("c", forKey: "name")
      context.processPendingChanges()
      // The object is still unsaved, but its insertion has been posted already.
      #expect(log.lines == ["context changed updated 1"])
    }
  }
}
