import SourcePorting
import Testing

@Suite("Porting sources to build beyond Apple's platforms")
struct PortedSourceTests {
  @Test("An attribute on a line of its own is enclosed in conditions")
  func attributeOnItsLine() {
    expectPorted(
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

  @Test("Attributes on one line are separated, and adjacent ones share a condition")
  func attributesInOneLine() {
    expectPorted(
      "@objcMembers @objc(Team) final class Team: Model {}",
      becomes: """
        #if canImport(ObjectiveC)
        @objcMembers
        @objc(Team)
        #endif
        final class Team: Model {}
        """)
    expectPorted(
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

  @Test("Comments keep their positions")
  func comments() {
    expectPorted(
      "@objc /* keep */ func f() {}",
      becomes: "#if canImport(ObjectiveC)\n@objc\n#endif /* keep */\nfunc f() {}")
    expectPorted(
      "@objcMembers // why\n@objc(A) // which\nclass A {}",
      becomes: "#if canImport(ObjectiveC)\n@objcMembers\n#endif // why\n"
        + "#if canImport(ObjectiveC)\n@objc(A)\n#endif // which\nclass A {}")
    expectPorted(
      "@objc(A) // a name\nclass A {} // the end\n",
      becomes: """
        #if canImport(ObjectiveC)
        @objc(A)
        #endif // a name
        class A {} // the end

        """)
  }

  @Test("Code for Apple's platforms only is unchanged")
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

  @Test("Code for all platforms is rewritten inside other conditions, too")
  func bothPlatforms() {
    expectPorted(
      "#if DEBUG\n@objc class A {}\n#endif\n",
      becomes: "#if DEBUG\n#if canImport(ObjectiveC)\n@objc\n#endif\nclass A {}\n#endif\n")
  }

  @Test(
    "Key paths become strings",
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
    expectPorted("let a = \(source)", becomes: "let a = \(expected)")
  }

  @Test(
    "Selectors of comparisons are made from strings",
    arguments: [
      ("#selector(NSString.localizedStandardCompare(_:))", "localizedStandardCompare:"),
      ("#selector(NSString.caseInsensitiveCompare)", "caseInsensitiveCompare:"),
      ("#selector(NSNumber.compare(_:))", "compare:"),
    ])
  func selectors(_ source: String, _ expected: String) {
    expectPorted("let a = \(source)", becomes: "let a = Selector((\"\(expected)\"))")
  }

  @Test("Imports of Core Data's headers become imports of its module")
  func headers() {
    expectPorted("import CoreData.CoreDataDefines\n", becomes: "import CoreData\n")
    let one = "import class CoreData.NSManagedObject\n"
    expectPorted(one, becomes: one)
  }

  @Test(
    "A source imports the module that defines its types on other platforms")
  func imports() {
    expectPorted(
      "import Foundation // for all\n\nlet e = NSExpression(forKeyPath: \"a\")\n",
      becomes:
        "import Foundation // for all\nimport CoreData\n\nlet e = NSExpression(forKeyPath: \"a\")\n"
    )
    expectPorted(
      "import XCTest\n\nlet e = NSExpression(forKeyPath: \"a\")\n",
      becomes: "import XCTest\nimport CoreData\n\nlet e = NSExpression(forKeyPath: \"a\")\n")
    expectPorted(
      "import os.log\n",
      becomes: "#if canImport(os)\nimport os.log\n#else\nimport OSNames\n#endif\n")
    expectPorted(
      "import CoreGraphics\n",
      becomes:
        "#if canImport(CoreGraphics)\nimport CoreGraphics\n#else\nimport Foundation\n#endif\n")
    expectPorted(
      "import class Foundation.ValueTransformer\n",
      becomes: """
        #if canImport(ObjectiveC)
        import class Foundation.ValueTransformer
        #else
        import CoreData
        #endif

        """)
    expectPorted(
      "import CoreData\nlet a: Foundation.ValueTransformer.Type = Foundation.ValueTransformer.self\n",
      becomes:
        "import CoreData\nlet a: CoreData.ValueTransformer.Type = CoreData.ValueTransformer.self\n")
    // On Apple's platforms a header of the target may import Core Data, so sources need not.
    expectPorted(
      "import UIKit\n\nclass A: NSManagedObject {}\n",
      becomes: "import UIKit\nimport CoreData\n\nclass A: NSManagedObject {}\n")
    expectPorted(
      "// Of the model.\n\nclass A: NSManagedObject {}\n",
      becomes: "// Of the model.\n\nimport CoreData\n\nclass A: NSManagedObject {}\n")
    expectPorted(
      "/// A.\nclass A: NSManagedObject {}\n",
      becomes: "import CoreData\n\n/// A.\nclass A: NSManagedObject {}\n")
    for source in [
      "import CoreData\nimport Foundation\nlet e: NSExpression? = nil",
      "import Foundation\nlet e: NSPredicate? = nil",
    ] {
      expectPorted(source, becomes: source)
    }
  }

  @Test(
    "Names that only Apple's Foundation exports are imported from their module"
  )
  func separateModules() {
    expectPorted(
      "import Foundation\n\nlet a = XMLParser(data: d), b = URLSession.shared, t: NSValueTransformerName? = nil\n",
      becomes: """
        import Foundation
        import CoreData
        #if canImport(FoundationXML)
        import FoundationXML
        #endif
        #if canImport(FoundationNetworking)
        import FoundationNetworking
        #endif

        let a = XMLParser(data: d), b = URLSession.shared, t: NSValueTransformerName? = nil

        """)
    expectPorted(
      "import CoreData\nlet t: CFAbsoluteTime = CFAbsoluteTimeGetCurrent()\n",
      becomes:
        "import CoreData\nimport CoreFoundation\nlet t: CFAbsoluteTime = CFAbsoluteTimeGetCurrent()\n"
    )
    let whole =
      "import FoundationXML\nimport CoreFoundation\nlet a = XMLParser(data: d), m = CFRunLoopGetMain()\n"
    expectPorted(whole, becomes: whole)
    #expect(
      PortedSource("import Foundation\nlet r: URLRequest\n").changes.map(\.text) == [
        "URLRequest is in the module FoundationNetworking on other platforms"
      ])
  }

  @Test("An added import is as public as Foundation's, and its types lose the prefix Foundation")
  func accessOfImports() {
    expectPorted(
      "public import Foundation\npublic func load(_ r: Foundation.URLRequest) { Foundation.URLSession.shared }\n",
      becomes: """
        public import Foundation
        #if canImport(FoundationNetworking)
        public import FoundationNetworking
        #endif
        public func load(_ r: URLRequest) { URLSession.shared }

        """)
    expectPorted(
      "import Foundation\nimport struct Foundation.URLRequest\nlet r: URLRequest\n",
      becomes: """
        import Foundation
        #if canImport(FoundationNetworking)
        import FoundationNetworking
        #endif
        import Foundation
        let r: URLRequest

        """)
    expectPorted(
      "@_exported import Foundation\nobjc_setAssociatedObject(a, &k, 1, .OBJC_ASSOCIATION_RETAIN)\n",
      becomes:
        "@_exported import Foundation\n@_exported import CoreData\n"
        + "objc_setAssociatedObject(a, &k, 1, .OBJC_ASSOCIATION_RETAIN)\n")
  }

  @Test("An XMLElement of a package is unchanged")
  func namesOfPackages() {
    let source = "import Foundation\nimport SWXMLHash\nfunc f(_ e: XMLElement)\n"
    expectPorted(source, becomes: source)
    #expect(!PortedSource("import Foundation\nfunc f(_ e: XMLElement)\n").changes.isEmpty)
  }

  @Test("Changes are listed in the order of their locations")
  func changes() {
    let changes = PortedSource("@objc class A {\n  let k = #keyPath(A.b)\n}").changes
    #expect(changes.map(\.line) == [1, 2])
    #expect(changes.map(\.column) == [1, 11])
    #expect(changes[1].text == "#keyPath(A.b) becomes a string")
  }

  @Test("Objective-C protocols remain class protocols")
  func protocols() {
    for (source, expected) in [
      ("protocol P {}", "protocol P: AnyObject {}"),
      ("protocol P: Q {}", "protocol P: Q, AnyObject {}"),
      ("protocol P: NSObjectProtocol {}", "protocol P: NSObjectProtocol {}"),
      ("protocol P: class {}", "protocol P: class {}"),
      ("protocol P: Swift.AnyObject {}", "protocol P: Swift.AnyObject {}"),
      ("protocol P: Q & AnyObject {}", "protocol P: Q & AnyObject {}"),
    ] {
      expectPorted(
        "@objc\n\(source)", becomes: "#if canImport(ObjectiveC)\n@objc\n#endif\n\(expected)")
    }
  }

  @Test("Text beyond ASCII and Windows line endings are unchanged")
  func otherTexts() {
    expectPorted(
      "let ü = \"日本\" /* é */\r\n@objc class Ä {}\r\n",
      becomes:
        "let ü = \"日本\" /* é */\r\n#if canImport(ObjectiveC)\r\n@objc\r\n#endif\r\nclass Ä {}\r\n"
    )
    expectPorted(
      "class A: B {\r\n}\r\nextension A {\r\n  override func f() {\r\n  }\r\n}\r\n",
      becomes: "class A: B {\r\n  override func f() {\r\n  }\r\n}\r\n")
  }

  @Test("Code on one line is split, with the braces in their positions")
  func oneLine() {
    expectPorted(
      "enum Kind: Int { @objc(KindA) case a = 1; case b }\n",
      becomes: """
        enum Kind: Int {
            #if canImport(ObjectiveC)
            @objc(KindA)
            #endif
            case a = 1; case b
        }

        """)
    expectPorted(
      """
      struct S {
        class K { @objc var a = 1;@objc var b: Int { 2 } }
      }

      """,
      becomes: """
        struct S {
          class K {
            #if canImport(ObjectiveC)
            @objc
            #endif
            var a = 1;
            #if canImport(ObjectiveC)
            @objc
            #endif
            var b: Int { 2 }
          }
        }

        """)
  }

  @Test("Conditions cannot precede an accessor, so the property is written twice")
  func accessors() {
    expectPorted(
      """
      class A {
        @objc var isDone: Bool {
          @objc(isDone) get { done }
          set { set(#keyPath(isDone)) }
        }
      }

      """,
      becomes: """
        class A {
          #if canImport(ObjectiveC)
          @objc var isDone: Bool {
            @objc(isDone) get { done }
            set { set(#keyPath(isDone)) }
          }
          #else
          var isDone: Bool {
            get { done }
            set { set("isDone") }
          }
          #endif
        }

        """)
  }

  @Test("Code that is only for other platforms loses what needs Objective-C")
  func othersAlone() {
    expectPorted(
      """
      import CoreData
      #if canImport(ObjectiveC)
      @objc class A {}
      #else
      import os
      @objc class A {
        @objc(b)
        var b = c as! NSFetchRequest<A>
      }
      #endif

      """,
      becomes: """
        import CoreData
        #if canImport(ObjectiveC)
        @objc class A {}
        #else
        import OSNames
        class A {
          var b = NSFetchRequest<A>(casting: c)!
        }
        #endif

        """)
  }

  @Test("A source that is not Swift is unchanged, and the location and the reason are reported")
  func errors() {
    for (source, line, column, reason) in [
      ("@objc class A {\n  func f( {\n}\n", 2, 11, "“)” is missing here"),
      ("@objc class A {}\n}\n", 2, 1, "“}” is not expected here"),
      ("let a = #keyPath(A.b) +\n", 1, 24, "missing here"),
    ] {
      let ported = PortedSource(source)
      #expect(ported.text == source && ported.changes.isEmpty)
      let place = ported.obstacles.first.map { [$0.line, $0.column] }
      #expect(place == [line, column], "\(ported.obstacles)")
      #expect(ported.obstacles.first?.text.contains(reason) == true, "\(ported.obstacles)")
      #expect(ported.obstacles.first?.text.contains("the file is not changed") == true)
    }
    // Code that an older compiler skips may be newer Swift.
    expectPorted(
      "#if compiler(>=99)\nlet a = ]new[\n#endif\nlet b = #keyPath(A.b)\n",
      becomes: "#if compiler(>=99)\nlet a = ]new[\n#endif\nlet b = \"b\"\n")
    // So may the code for all versions that a condition does not contain.
    for start in ["#if swift(<6)\n#else", "#if compiler(<99)\nlet a = 1\n#elseif FAST"] {
      expectPorted(
        "\(start)\nlet a = ]new[\n#endif\nlet b = #keyPath(A.b)\n",
        becomes: "\(start)\nlet a = ]new[\n#endif\nlet b = \"b\"\n")
    }
    let before = PortedSource("#if FAST\nlet a = ]new[\n#elseif swift(>=6)\n#endif\n")
    #expect(before.obstacles.first?.line == 2, "\(before.obstacles)")
  }
}
