import SourcePorting
import Testing

@Suite("Porting observers with selectors")
struct SelectorObserverTests {
  /// Expects that porting adds a second call for platforms without Objective-C, which passes a closure.
  private func expectCalled(
    _ selector: String, _ calling: String, by method: String,
    location: SourceLocation = #_sourceLocation
  ) {
    let rest = "name: .saved, object: nil"
    expectPorted(
      """
      import CoreData
      class List: NSObject {
        func start() {
          center.addObserver(self, selector: \(selector), \(rest))
        }
        \(method)
      }

      """,
      becomes: """
        import CoreData
        class List: NSObject {
          func start() {
            #if canImport(ObjectiveC)
            center.addObserver(self, selector: \(selector), \(rest))
            #else
            center.addObserver(self, calling: \(calling), \(rest))
            #endif
          }
          \(method)
        }

        """, location: location)
  }

  @Test("A closure calls the source's method")
  func methods() {
    expectCalled(
      "#selector(saved(_:))", "{ $0.saved($1) }", by: "func saved(_ note: Notification) {}")
    expectCalled(
      "#selector(List.saved)", "{ $0.saved($1) }", by: "func saved(_ note: Notification?) {}")
    expectCalled(
      "#selector(self.saved(note:))", "{ $0.saved(note: $1) }",
      by: "func saved(note: Foundation.Notification) {}")
    expectCalled(
      "#selector(saved)", "{ $0.saved($1 as NSNotification) }",
      by: "func saved(_ note: NSNotification) {}")
    expectCalled("#selector(saved)", "{ observer, _ in observer.saved() }", by: "func saved() {}")
  }

  @Test("CoreData is imported for the method with a closure, and other arguments are ported too")
  func others() {
    let source = """
      import Foundation
      extension List {
        func start() {
          center.addObserver(
            self, selector: #selector(saved), name: names[#keyPath(A.b)], object: nil)
        }
        func saved() {}
      }
      """
    let ported = PortedSource(source)
    #expect(ported.text.hasPrefix("import Foundation\nimport CoreData\n"))
    #expect(
      ported.text.contains(
        """
            #else
            center.addObserver(
              self, calling: { observer, _ in observer.saved() }, name: names["b"], object: nil)
            #endif
        """))
    expectIdempotent(ported)
  }

  @Test(
    "A selector must be ported by hand unless the source declares one method that can be its target",
    arguments: [
      "func other() {}", "func saved(_ note: Any) {}", "func saved() -> Int { 1 }",
      "static func saved() {}", "func saved() throws {}",
      "func saved() {}\n  func saved(_ note: Notification) {}",
    ])
  func unknown(_ method: String) {
    let ported = PortedSource(
      """
      class List: NSObject {
        func start() { center.addObserver(self, selector: #selector(saved), name: n, object: nil) }
        \(method)
      }
      """)
    #expect(ported.changes.isEmpty)
    #expect(ported.obstacles.map(\.line) == [2])
  }
}
