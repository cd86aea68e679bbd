import CoreData
import Testing

@Suite("Objects that observe notifications")
struct ObservingObjectsTests {
  private static let name = Notification.Name("ObservingObjectsTests")

  /// Counts what it hears, and need not do more when it ends.
  private class Listener {
    var heard: [Int] = []
    func hear(_ note: Notification) { heard.append(note.userInfo?["number"] as? Int ?? -1) }
  }

  private func post(_ number: Int, by poster: NSObject? = nil, in center: NotificationCenter) {
    center.post(name: Self.name, object: poster, userInfo: ["number": number])
  }

  @Test("a method is called with what its poster posts, until the object is removed")
  func calls() {
    let center = NotificationCenter()
    let (listener, poster) = (Listener(), NSObject())
    center.addObserver(listener, calling: { $0.hear($1) }, name: Self.name, object: poster)
    post(1, by: poster, in: center)
    post(2, by: NSObject(), in: center)
    NotificationCenter.default.removeObserver(listener)
    post(3, by: poster, in: center)
    center.removeObserver(listener)
    post(4, by: poster, in: center)
    #expect(listener.heard == [1, 3])
  }

  @Test("a name and a poster end what was observed of them alone")
  func removal() {
    let center = NotificationCenter()
    let (listener, poster) = (Listener(), NSObject())
    center.addObserver(listener, calling: { $0.hear($1) }, name: Self.name, object: poster)
    center.addObserver(listener, calling: { $0.hear($1) }, name: Self.name, object: nil)
    center.addObserver(listener, calling: { $0.hear($1) }, name: nil, object: poster)
    center.removeObserver(listener, name: Self.name, object: poster)
    post(1, by: poster, in: center)
    #expect(listener.heard == [1, 1])
    center.removeObserver(listener, name: Self.name, object: nil)
    post(2, by: poster, in: center)
    #expect(listener.heard == [1, 1, 2])
  }

  @Test("the center does not keep the object, which may remove itself when it ends")
  func ends() {
    final class Leaving: Listener {
      let center: NotificationCenter
      init(_ center: NotificationCenter) {
        self.center = center
        super.init()
        center.addObserver(self, calling: { $0.hear($1) }, name: nil, object: nil)
      }
      deinit { center.removeObserver(self) }
    }
    let center = NotificationCenter()
    for _ in 0..<1_000 {
      weak var ended: Leaving?
      do {
        let leaving = Leaving(center)
        post(1, in: center)
        #expect(leaving.heard == [1])
        ended = leaving
      }
      #expect(ended == nil)
    }
    post(2, in: center)
  }

  @Test("an object at the place of one that ended hears only what it asked for")
  func addresses() {
    let center = NotificationCenter()
    for _ in 0..<1_000 {
      let listener = Listener()
      center.addObserver(listener, calling: { $0.hear($1) }, name: Self.name, object: nil)
      post(1, in: center)
      #expect(listener.heard == [1])
    }
  }

  @Test("a token is removed as before")
  func tokens() {
    let center = NotificationCenter()
    let listener = Listener()
    struct Heard: @unchecked Sendable { let listener: Listener }
    let heard = Heard(listener: listener)
    let token = center.addObserver(forName: Self.name, object: nil, queue: nil) {
      heard.listener.hear($0)
    }
    post(1, in: center)
    center.removeObserver(token)
    post(2, in: center)
    #expect(listener.heard == [1])
  }
}
