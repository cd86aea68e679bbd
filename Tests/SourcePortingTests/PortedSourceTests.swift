import SourcePorting
import Testing

@Suite("Sources rewritten to build beyond Apple's platforms")
struct PortedSourceTests {
  private func expect(
    _ source: String, becomes expected: String, location: SourceLocation = #_sourceLocation
  ) {
    let ported = PortedSource(source)
    #expect(ported.text == expected, sourceLocation: location)
    let again = PortedSource(ported.text)
    #expect(again.text == ported.text && again.changes.isEmpty, sourceLocation: location)
  }

  @Test("an attribute on a line of its own goes between conditions")
  func attributeOnItsLine() {
    expect(
      """
      import CoreData

      /// A person.
      @objc(Person)
      public class Person: NSManagedObject {
          @objc dynamic var note = ""
      }

      """,
      becomes: """
        import CoreData

        /// A person.
        #if canImport(ObjectiveC)
        @objc(Person)
        #endif
        public class Person: NSManagedObject {
            #if canImport(ObjectiveC)
            @objc
            #endif
            dynamic var note = ""
        }

        """)
  }

  @Test("attributes in one line are parted, and those beside each other go together")
  func attributesInOneLine() {
    expect(
      "@objcMembers @objc(Team) final class Team: Model {}",
      becomes: """
        #if canImport(ObjectiveC)
        @objcMembers
        @objc(Team)
        #endif
        final class Team: Model {}
        """)
    expect(
      """
      extension Team {
        @discardableResult @objc func f() -> Int { 1 }
        @nonobjc public class func request() -> Request<Team> { .init(entityName: "Team") }
        @objc(addJobsObject:)
        @NSManaged public func addToJobs(_ value: Job)
      }
      """,
      becomes: """
        extension Team {
          @discardableResult 
          #if canImport(ObjectiveC)
          @objc
          #endif
          func f() -> Int { 1 }
          @nonobjc public class func request() -> Request<Team> { .init(entityName: "Team") }
          #if canImport(ObjectiveC)
          @objc(addJobsObject:)
          #endif
          @NSManaged public func addToJobs(_ value: Job)
        }
        """)
  }

  @Test("comments keep their places")
  func comments() {
    expect(
      "@objc /* keep */ func f() {}",
      becomes: "#if canImport(ObjectiveC)\n@objc\n#endif\n /* keep */ func f() {}")
    expect(
      "@objcMembers // why\n@objc(A) // which\nclass A {}",
      becomes: "#if canImport(ObjectiveC)\n@objcMembers\n#endif // why\n"
        + "#if canImport(ObjectiveC)\n@objc(A)\n#endif // which\nclass A {}")
    expect(
      "@objc(A) // a name\nclass A {} // the end\n",
      becomes: """
        #if canImport(ObjectiveC)
        @objc(A)
        #endif // a name
        class A {} // the end

        """)
  }

  @Test("what only Apple's platforms compile stays as it is")
  func otherPlatforms() {
    let source = """
      #if canImport(ObjectiveC)
      @objc(A)
      #endif
      class A {}
      #if canImport(UIKit) && !os(watchOS)
      import UIKit
      extension A { @objc func tap() { _ = #selector(tap) } }
      #else
      extension A { func tap() {} }
      #endif
      #if os(iOS)
      let key = #keyPath(A.b)
      #endif
      """
    let ported = PortedSource(source)
    #expect(ported.text == source)
    #expect(ported.changes.isEmpty && ported.obstacles.isEmpty)
  }

  @Test("what both compile is rewritten inside conditions too")
  func bothPlatforms() {
    expect(
      "#if DEBUG\n@objc class A {}\n#endif\n",
      becomes: "#if DEBUG\n#if canImport(ObjectiveC)\n@objc\n#endif\nclass A {}\n#endif\n")
  }

  @Test(
    "key paths become texts",
    arguments: [
      ("#keyPath(Person.name)", "\"name\""),
      ("#keyPath(Person.team.name)", "\"team.name\""),
      ("#keyPath(MyModel.Person.team)", "\"team\""),
      ("#keyPath(name)", "\"name\""),
      ("#keyPath(Person.`class`)", "\"class\""),
      (
        "NSSortDescriptor(key: #keyPath(Person.age), ascending: true)",
        "NSSortDescriptor(key: \"age\", ascending: true)"
      ),
    ])
  func keyPaths(_ source: String, _ expected: String) {
    expect("let a = \(source)", becomes: "let a = \(expected)")
  }

  @Test(
    "selectors of comparisons are made of texts",
    arguments: [
      ("#selector(NSString.localizedStandardCompare(_:))", "localizedStandardCompare:"),
      ("#selector(NSString.caseInsensitiveCompare)", "caseInsensitiveCompare:"),
      ("#selector(NSNumber.compare(_:))", "compare:"),
    ])
  func selectors(_ source: String, _ expected: String) {
    expect("let a = \(source)", becomes: "let a = Selector((\"\(expected)\"))")
  }

  @Test(
    "what cannot be rewritten is told with its place and what to do",
    arguments: [
      ("import UIKit", 1, 1, "#if canImport(UIKit)"),
      ("import Combine", 1, 1, "there is no Combine"),
      (
        "class A: NSObject {\n  override func observeValue(forKeyPath k: String?) {}\n}", 2, 17,
        "withObservationTracking"
      ),
      ("let token = person.observe(\\.name) { _, _ in }", 1, 20, "withObservationTracking"),
      (
        "c.addObserver(self, selector: #selector(saved(_:)), name: n, object: nil)", 1, 31,
        "addObserver(forName:object:queue:using:)"
      ),
      ("button.addTarget(self, action: a, for: .touchUpInside)", 1, 8, "closure"),
      ("let a = #selector(tap)", 1, 9, "messages by selector"),
      ("@objc protocol P {\n  @objc optional func f()\n}", 2, 9, "default implementation"),
      ("let c = NSPersistentCloudKitContainer(name: \"A\")", 1, 9, "NSPersistentContainer"),
      ("class M: ObservableObject {}", 1, 10, "there is no Combine"),
      (
        "func validateName(_ v: AutoreleasingUnsafeMutablePointer<AnyObject?>) throws {}", 1, 6,
        "validateValue(_:forKey:)"
      ),
      ("let k = #keyPath(Person)", 1, 9, "write the key as a text"),
      (
        "extension A { public override func awakeFromInsert() {} }", 1, 22, "move it into the class"
      ),
      ("#if !os(Linux)\nimport UIKit\n#else\nimport Combine\n#endif", 4, 1, "there is no Combine"),
      ("#if canImport(Combine)\nimport Combine\n#endif\nimport UIKit", 4, 1, "files of its own"),
    ])
  func obstacles(_ source: String, _ line: Int, _ column: Int, _ text: String) {
    let obstacles = PortedSource(source).obstacles
    #expect(obstacles.count == 1)
    #expect(obstacles.first?.line == line && obstacles.first?.column == column)
    #expect(obstacles.first?.text.contains(text) == true, "\(obstacles)")
  }

  @Test("a request that is cast to another type is made of the other")
  func requestCasts() {
    expect(
      "import CoreData\nlet a = b.fetchRequest() as! NSFetchRequest<Person>\n",
      becomes: """
        import CoreData
        #if canImport(ObjectiveC)
        let a = b.fetchRequest() as! NSFetchRequest<Person>
        #else
        let a = NSFetchRequest<Person>(casting: b.fetchRequest())!
        #endif

        """)
    expect(
      "import CoreData\nfunc f() -> Any? {\n  return g(a: b as? NSFetchRequest<P>, c)\n}\n",
      becomes: """
        import CoreData
        func f() -> Any? {
          #if canImport(ObjectiveC)
          return g(a: b as? NSFetchRequest<P>, c)
          #else
          return g(a: NSFetchRequest<P>(casting: b), c)
          #endif
        }

        """)
    expect(
      "import CoreData\nstruct S {\n  var r: NSFetchRequest<P> { b as! NSFetchRequest<P> } // one\n}\n",
      becomes: """
        import CoreData
        struct S {
          var r: NSFetchRequest<P> {\u{20}
          #if canImport(ObjectiveC)
          b as! NSFetchRequest<P>
          #else
          NSFetchRequest<P>(casting: b)!
          #endif
           } // one
        }

        """)
    for source in ["let a = b as! Set<Person>\n", "let a: Any = 3\n"] {
      expect(source, becomes: source)
    }
  }

  @Test(
    "an initialiser that the library has to have required says so, and is as visible as its class")
  func requiredInitialisers() {
    let head = "import CoreData\npublic class A: NSManagedObject {\n  "
    let tail =
      "init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {}\n}\n"
    expect(head + "override private " + tail, becomes: head + "required override public " + tail)
    expect(
      head + "required override public " + tail, becomes: head + "required override public " + tail)
    expect(
      "import CoreData\nclass B: NSManagedObject {\n  override " + tail,
      becomes: "import CoreData\nclass B: NSManagedObject {\n  required override " + tail)
    let other = "import CoreData\nclass C: D {\n  override init(name: String) {}\n}\n"
    expect(other, becomes: other)
    let transformer = "import CoreData\npublic class T: ValueTransformer {\n"
    expect(
      transformer + "  init(x: Int) {}\n}\n",
      becomes: transformer + "  init(x: Int) {}\n"
        + "  public required init() { fatalError(\"init() has not been implemented\") }\n}\n")
    expect(
      transformer + "  override init() {}\n  init(x: Int) {}\n}\n",
      becomes: transformer + "  required override public init() {}\n  init(x: Int) {}\n}\n")
    let plain = transformer + "  convenience init(x: Int) { self.init() }\n}\n"
    expect(plain, becomes: plain)
  }

  @Test("headers of Core Data are the module")
  func headers() {
    expect("import CoreData.CoreDataDefines\n", becomes: "import CoreData\n")
    let one = "import class CoreData.NSManagedObject\n"
    expect(one, becomes: one)
  }

  @Test("overriding members of extensions are moved into the class of the same file")
  func movedOverrides() {
    expect(
      """
      import CoreData

      class Person: NSManagedObject {
        @NSManaged var name: String
      }

      extension Person {
        /// Names it.
        public override func awakeFromInsert() {
          super.awakeFromInsert()
          name = #keyPath(Person.name)
        }

        func rename() {}

        override var description: String { name }
      }

      """,
      becomes: """
        import CoreData

        class Person: NSManagedObject {
          @NSManaged var name: String
          /// Names it.
          public override func awakeFromInsert() {
            super.awakeFromInsert()
            name = "name"
          }

          override var description: String { name }
        }

        extension Person {

          func rename() {}
        }

        """)
    // Who is public by the extension, or has no class here, is left.
    for head in ["public extension Person", "extension Other"] {
      let source =
        "import CoreData\nclass Person: NSManagedObject {\n}\n\(head) {\n  override func willSave() {}\n}\n"
      expect(source, becomes: source)
      #expect(PortedSource(source).obstacles.count == 1)
    }
  }

  @Test(
    "a source that makes expressions imports the library, whose they are beyond Apple's platforms")
  func imports() {
    expect(
      "import Foundation // for all\n\nlet e = NSExpression(forKeyPath: \"a\")\n",
      becomes:
        "import Foundation // for all\nimport CoreData\n\nlet e = NSExpression(forKeyPath: \"a\")\n"
    )
    expect(
      "import os.log\n",
      becomes: "#if canImport(os)\nimport os.log\n#else\nimport OSNames\n#endif\n")
    expect(
      "import class Foundation.ValueTransformer\n",
      becomes: """
        #if canImport(ObjectiveC)
        import class Foundation.ValueTransformer
        #else
        import CoreData
        #endif

        """)
    expect(
      "import CoreData\nlet a: Foundation.ValueTransformer.Type = Foundation.ValueTransformer.self\n",
      becomes:
        "import CoreData\nlet a: CoreData.ValueTransformer.Type = CoreData.ValueTransformer.self\n")
    // A header of the target may import the library on Apple's platforms.
    expect(
      "import UIKit\n\nclass A: NSManagedObject {}\n",
      becomes: "import UIKit\nimport CoreData\n\nclass A: NSManagedObject {}\n")
    expect(
      "// Of the model.\n\nclass A: NSManagedObject {}\n",
      becomes: "// Of the model.\n\nimport CoreData\n\nclass A: NSManagedObject {}\n")
    expect(
      "/// A.\nclass A: NSManagedObject {}\n",
      becomes: "import CoreData\n\n/// A.\nclass A: NSManagedObject {}\n")
    for source in [
      "import CoreData\nimport Foundation\nlet e: NSExpression? = nil",
      "import Foundation\nlet e: NSPredicate? = nil",
    ] {
      expect(source, becomes: source)
    }
  }

  @Test("changes are told in the order of their places")
  func changes() {
    let changes = PortedSource("@objc class A {\n  let k = #keyPath(A.b)\n}").changes
    #expect(changes.map(\.line) == [1, 2])
    #expect(changes.map(\.column) == [1, 11])
    #expect(changes[1].text == "#keyPath(A.b) is a text")
  }

  @Test("protocols of Objective-C stay protocols of classes")
  func protocols() {
    for (source, expected) in [
      ("protocol P {}", "protocol P: AnyObject {}"),
      ("protocol P: Q {}", "protocol P: Q, AnyObject {}"),
      ("protocol P: NSObjectProtocol {}", "protocol P: NSObjectProtocol {}"),
    ] {
      expect(
        "@objc\n\(source)", becomes: "#if canImport(ObjectiveC)\n@objc\n#endif\n\(expected)")
    }
  }

  @Test("text beyond ASCII and windows' line ends stay as they are")
  func otherTexts() {
    expect(
      "let ü = \"日本\" /* é */\r\n@objc class Ä {}\r\n",
      becomes:
        "let ü = \"日本\" /* é */\r\n#if canImport(ObjectiveC)\n@objc\n#endif\nclass Ä {}\r\n")
  }
}
