import CoreData
import Foundation
import Testing

@Suite("Notifications as a sequence")
struct NotificationSequenceTests {
  private static let name = Notification.Name("NotificationSequenceTests")

  @Test("yields, in order, every notification posted for its object after the iterator was made")
  func order() async {
    let center = NotificationCenter()
    let (own, other) = (NSObject(), NSObject())
    var notifications = center.notifications(named: Self.name, object: own).makeAsyncIterator()
    for number in 0..<100 {
      center.post(name: Self.name, object: other, userInfo: ["number": -1])
      center.post(name: Self.name, object: own, userInfo: ["number": number])
    }
    for number in 0..<100 {
      #expect(await notifications.next()?.userInfo?["number"] as? Int == number)
    }
  }

  @Test("ends when its task is cancelled, and stops observing")
  func cancellation() async {
    let center = NotificationCenter()
    weak var observed: NSObject?
    let started = AsyncStream<Void>.makeStream()
    let task = Task {
      var received = 0
      var notifications = center.notifications(named: Self.name).makeAsyncIterator()
      started.continuation.finish()
      while await notifications.next() != nil { received += 1 }
      return received
    }
    for await _ in started.stream {}
    center.post(name: Self.name, object: nil)
    task.cancel()
    #expect(await task.value <= 1)
    do {
      let object = NSObject()
      observed = object
      center.post(name: Self.name, object: object)
    }
    // A sequence that still observed would have kept the notification, and with it the object.
    #expect(observed == nil)
  }

  @Test("yields the notification of a save to a task that awaits it")
  func saves() async throws {
    let stack = try SampleStack()
    var saves = NotificationCenter.default
      .notifications(named: .NSManagedObjectContextDidSave, object: stack.context)
      .makeAsyncIterator()
    try stack.context.performAndWait {
      stack.context.insert("Team", ["name": "Red"])
      try stack.context.save()
    }
    let inserted = await saves.next()?.userInfo?[NSInsertedObjectsKey] as? Set<NSManagedObject>
    #expect(inserted?.count == 1)
  }
}
