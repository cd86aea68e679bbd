import CoreData
import Testing

@Suite("Objects that observe notifications")
struct ObservingObjectsTests {
  private static let name = Notification.Name("ObservingObjectsTests")

  /// Records the numbers it receives, and does not remove itself as an observer in `deinit`.
  private class Listener {
    var received: [Int] = []
    func receive(_ note: Notification) { received.append(note.userInfo?["number"] as? Int ?? -1) }
  }

  private func post(_ number: Int, by poster: NSObject? = nil, in center: NotificationCenter) {
    center.post(name: Self.name, object: poster, userInfo: ["number": number])
  }

  @Test("a method is called with each notification of its poster until the observer is removed")
  func calls() {
    let center = NotificationCenter()
    let (listener, poster) = (Listener(), NSObject())
    center.addObserver(listener, calling: { $0.receive($1) }, name: Self.name, object: poster)
    post(1, by: poster, in: center)
    post(2, by: NSObject(), in: center)
    NotificationCenter.default.removeObserver(listener)
    post(3, by: poster, in: center)
    center.removeObserver(listener)
    post(4, by: poster, in: center)
    #expect(listener.received == [1, 3])
  }

  @Test("removal by a name and a poster ends only observations with exactly that name and poster")
  func removal() {
    let center = NotificationCenter()
    let (listener, poster) = (Listener(), NSObject())
    center.addObserver(listener, calling: { $0.receive($1) }, name: Self.name, object: poster)
    center.addObserver(listener, calling: { $0.receive($1) }, name: Self.name, object: nil)
    center.addObserver(listener, calling: { $0.receive($1) }, name: nil, object: poster)
    center.removeObserver(listener, name: Self.name, object: poster)
    post(1, by: poster, in: center)
    #expect(listener.received == [1, 1])
    center.removeObserver(listener, name: Self.name, object: nil)
    post(2, by: poster, in: center)
    #expect(listener.received == [1, 1, 2])
  }

  @Test("the center does not retain the observer, which may remove itself in deinit")
  func ends() {
    final class Leaving: Listener {
      let center: NotificationCenter
      init(_ center: NotificationCenter) {
        self.center = center
        super.init()
        center.addObserver(self, calling: { $0.receive($1) }, name: nil, object: nil)
      }
      deinit { center.removeObserver(self) }
    }
    let center = NotificationCenter()
    for _ in 0..<1_000 {
      weak var ended: Leaving?
      do {
        let leaving = Leaving(center)
        post(1, in: center)
        #expect(leaving.received == [1])
        ended = leaving
      }
      #expect(ended == nil)
    }
    post(2, in: center)
  }

  @Test("an observer at the address of a deallocated one receives only its own notifications")
  func addresses() {
    let center = NotificationCenter()
    for _ in 0..<1_000 {
      let listener = Listener()
      center.addObserver(listener, calling: { $0.receive($1) }, name: Self.name, object: nil)
      post(1, in: center)
      #expect(listener.received == [1])
    }
  }

  @Test("a closure is called until its token is removed, as in Foundation")
  func tokens() {
    let center = NotificationCenter()
    let listener = Listener()
    struct Box: @unchecked Sendable { let listener: Listener }
    let box = Box(listener: listener)
    let token = center.addObserver(forName: Self.name, object: nil, queue: nil) {
      box.listener.receive($0)
    }
    post(1, in: center)
    center.removeObserver(token)
    post(2, in: center)
    #expect(listener.received == [1])
  }
}
