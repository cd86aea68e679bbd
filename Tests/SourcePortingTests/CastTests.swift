import SourcePorting
import Testing

@Suite("Porting casts of requests and snapshots")
struct CastTests {
  /// Expects a statement to be written twice, once for each kind of platform.
  private func expectDoubled(
    _ statement: String, _ ported: String, location: SourceLocation = #_sourceLocation
  ) {
    expectPorted(
      "import CoreData\n\(statement)\n",
      becomes: """
        import CoreData
        #if canImport(ObjectiveC)
        \(statement)
        #else
        \(ported)
        #endif

        """, location: location)
  }

  @Test(
    "A cast request becomes a request made from the original",
    arguments: [
      (
        "let a = b.fetchRequest() as! NSFetchRequest<Person>",
        "let a = NSFetchRequest<Person>(casting: b.fetchRequest())!"
      ),
      (
        "let a = \"\\(b { c as! NSFetchRequest<P> })\"",
        "let a = \"\\(b { NSFetchRequest<P>(casting: c)! })\""
      ),
      ("a = b as? NSFetchRequest<P>", "a = NSFetchRequest<P>(casting: b)"),
      (
        "let r: NSFetchRequest<P> = q as! NSFetchRequest",
        "let r: NSFetchRequest<P> = NSFetchRequest(casting: q)!"
      ),
      ("let a = b ?? q as! NSFetchRequest<P>", "let a = b ?? NSFetchRequest<P>(casting: q)!"),
      (
        "let a = q as! NSFetchRequest<P> == nil",
        "let a = NSFetchRequest<P>(casting: q)! == nil"
      ),
      (
        "let a = b ? q as! NSFetchRequest<P> : r as! NSFetchRequest<P>",
        "let a = b ? NSFetchRequest<P>(casting: q)! : NSFetchRequest<P>(casting: r)!"
      ),
      (
        "let a = (q as! NSFetchRequest<NSFetchRequestResult>) as! NSFetchRequest<P>",
        "let a = NSFetchRequest<P>(casting: (NSFetchRequest<NSFetchRequestResult>(casting: q)!))!"
      ),
      (
        "let a = b as! NSFetchedResultsController<NSFetchRequestResult>",
        "let a = NSFetchedResultsController<NSFetchRequestResult>(casting: b)!"
      ),
      (
        "let a = b as? NSFetchedResultsController<P>",
        "let a = NSFetchedResultsController<P>(casting: b)"
      ),
      (
        "let a = snapshot as NSDiffableDataSourceSnapshot<String, NSManagedObjectID>",
        "let a = NSDiffableDataSourceSnapshot<String, NSManagedObjectID>(snapshot)"
      ),
      (
        "let a = snapshot as! NSDiffableDataSourceSnapshot<A, B>",
        "let a = NSDiffableDataSourceSnapshot<A, B>(snapshot)"
      ),
    ])
  func casts(_ source: String, _ ported: String) {
    expectDoubled(source, ported)
  }

  @Test(
    "The statement for other platforms is ported entirely, and the one for Apple's is unchanged")
  func wholeStatement() {
    expectDoubled(
      """
      if let request = Person.fetchRequest() as? NSFetchRequest<Person> {
        request.predicate = NSPredicate(format: "%K == 1", #keyPath(Person.age))
      }
      """,
      """
      if let request = NSFetchRequest<Person>(casting: Person.fetchRequest()) {
        request.predicate = NSPredicate(format: "%K == 1", "age")
      }
      """)
    expectPorted(
      """
      import CoreData
      class A {
        /// The request.
        @objc lazy var request = Person.fetchRequest() as! NSFetchRequest<Person>
      }

      """,
      becomes: """
        import CoreData
        class A {
          /// The request.
          #if canImport(ObjectiveC)
          @objc lazy var request = Person.fetchRequest() as! NSFetchRequest<Person>
          #else
          lazy var request = NSFetchRequest<Person>(casting: Person.fetchRequest())!
          #endif
        }

        """)
  }

  @Test("A statement that shares a line with other code gets lines of its own")
  func oneLine() {
    expectPorted(
      """
      import CoreData
      struct S {
        var r: NSFetchRequest<P> { b as! NSFetchRequest<P> } // one
        let all = [1].map { _ in b as! NSFetchRequest<P> }
      }

      """,
      becomes: """
        import CoreData
        struct S {
          var r: NSFetchRequest<P> {
            #if canImport(ObjectiveC)
            b as! NSFetchRequest<P>
            #else
            NSFetchRequest<P>(casting: b)!
            #endif
          } // one
          let all = [1].map { _ in
            #if canImport(ObjectiveC)
            b as! NSFetchRequest<P>
            #else
            NSFetchRequest<P>(casting: b)!
            #endif
          }
        }

        """)
    expectPorted(
      "import CoreData\nfunc f() {let a = q as! NSFetchRequest<P>;return a}\n",
      becomes: """
        import CoreData
        func f() {
            #if canImport(ObjectiveC)
            let a = q as! NSFetchRequest<P>;
            #else
            let a = NSFetchRequest<P>(casting: q)!;
            #endif
            return a
        }

        """)
  }

  @Test("A cast is reported once, at its location")
  func reported() {
    let ported = PortedSource("import CoreData\nlet a = q as! NSFetchRequest<P>\n")
    #expect(ported.changes.map(\.line) == [2])
    #expect(ported.changes.map(\.column) == [9])
    #expect(ported.changes[0].text.contains("NSFetchRequest<P>(casting: request)"))
  }

  @Test(
    "Casts that cannot be rewritten are listed",
    arguments: [
      ("let a = q as! [NSFetchRequest<P>]", "requests.map { NSFetchRequest<P>(casting: $0)! }"),
      ("let a = b + q as! NSFetchRequest<P>", "NSFetchRequest<P>(casting: request)"),
      (
        "if let a = q as? NSFetchRequest<P> {\n\(String(repeating: "  f()\n", count: 12))}",
        "NSFetchRequest<P>(casting: request)"
      ),
    ])
  func listed(_ statement: String, _ advice: String) {
    let source = "import CoreData\n\(statement)\n"
    expectPorted(source, becomes: source)
    let obstacles = PortedSource(source).obstacles
    #expect(obstacles.map(\.line) == [2])
    #expect(obstacles[0].text.contains(advice), "\(obstacles)")
    #expect(PortedSource(source.replacing("\n", with: "\r\n")).obstacles == obstacles)
  }

  @Test("Other casts are unchanged")
  func others() {
    for source in ["let a = b as! Set<Person>\n", "let a: Any = 3\n", "let a = b as Person\n"] {
      expectPorted(source, becomes: source)
    }
  }
}
