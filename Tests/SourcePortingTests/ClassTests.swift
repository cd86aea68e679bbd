import SourcePorting
import Testing

@Suite("Classes, ported")
struct ClassTests {
  // MARK: Initialisers

  @Test(
    "an initialiser that the library has to have required says so, and is as visible as its class")
  func requiredInitialisers() {
    let head = "import CoreData\npublic class A: NSManagedObject {\n  "
    let tail =
      "init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {}\n}\n"
    expectPorted(
      head + "override private " + tail, becomes: head + "required override public " + tail)
    expectPorted(
      head + "required override public " + tail, becomes: head + "required override public " + tail)
    expectPorted(
      "import CoreData\nclass B: NSManagedObject {\n  override " + tail,
      becomes: "import CoreData\nclass B: NSManagedObject {\n  required override " + tail)
    let other = "import CoreData\nclass C: D {\n  override init(name: String) {}\n}\n"
    expectPorted(other, becomes: other)
  }

  @Test("so does init(context:) of a managed object, and one in an extension moves into the class")
  func contextInitialisers() {
    let tail = "init(context: NSManagedObjectContext) {}\n}\n"
    let head = "import CoreData\npublic class A: NSManagedObject {\n  "
    expectPorted(
      head + "convenience " + tail, becomes: head + "required public convenience " + tail)
    expectPorted(head + tail, becomes: head + "required public " + tail)
    expectPorted(
      "import CoreData\nclass A: NSManagedObject {\n}\nextension A {\n  convenience " + tail,
      becomes: "import CoreData\nclass A: NSManagedObject {\n  required convenience " + tail)
    let other = "import CoreData\nclass B: C {\n  convenience " + tail
    expectPorted(other, becomes: other)
    // The class may be in another file.
    let classes = ManagedClasses(of: ["class C: NSManagedObject {}"])
    let apart = "import CoreData\nextension C {\n  convenience " + tail
    expectPorted(apart, becomes: apart, among: classes)
    #expect(PortedSource(apart, among: classes).obstacles.map(\.line) == [3])
  }

  @Test("transformers and migration policies are made by their names, with init()")
  func plainInitialisers() {
    for base in ["ValueTransformer", "NSEntityMigrationPolicy"] {
      let head = "import CoreData\npublic class T: \(base) {\n"
      expectPorted(
        head + "  init(x: Int) {}\n}\n",
        becomes: head + "  init(x: Int) {}\n"
          + "  required override public init() { fatalError(\"init() has not been implemented\") }\n}\n"
      )
      expectPorted(
        head + "  override init() {}\n  init(x: Int) {}\n}\n",
        becomes: head + "  required override public init() {}\n  init(x: Int) {}\n}\n")
      let plain = head + "  convenience init(x: Int) { self.init() }\n}\n"
      expectPorted(plain, becomes: plain)
    }
    expectPorted(
      "import CoreData\nclass T: ValueTransformer { init(x: Int) { super.init() } }\n",
      becomes: """
        import CoreData
        class T: ValueTransformer {
            init(x: Int) { super.init() }
            required override init() { fatalError("init() has not been implemented") }
        }

        """)
  }

  // MARK: Members that move

  @Test("overriding members of extensions are moved into the class of the same file")
  func movedOverrides() {
    expectPorted(
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
      expectPorted(source, becomes: source)
      #expect(PortedSource(source).obstacles.count == 1)
    }
  }

  @Test("an extension that is left empty goes, and what stands above it comes along")
  func emptiedExtensions() {
    expectPorted(
      """
      import CoreData

      class Person: NSManagedObject {}

      // MARK: - Life

      extension Person {
        override func willSave() {}
      }

      class Team: NSManagedObject { var a = 1 }
      extension Team { override func didSave() {} }
      extension Team: Identifiable { override func willSave() {} }

      """,
      becomes: """
        import CoreData

        class Person: NSManagedObject {
          // MARK: - Life
          override func willSave() {}
        }

        class Team: NSManagedObject { var a = 1
          override func didSave() {}
          override func willSave() {}
        }
        extension Team: Identifiable { }

        """)
  }

  @Test("what follows a moved member in its line stays")
  func followers() {
    expectPorted(
      """
      import CoreData
      class A: NSManagedObject {
      }
      extension A {
        func f() {}
        override func willSave() {}; func g() {}
      }

      """,
      becomes: """
        import CoreData
        class A: NSManagedObject {
          override func willSave() {}
        }
        extension A {
          func f() {}
          func g() {}
        }

        """)
  }

  // MARK: Keys

  @Test(
    "keys are those that classes of all sources give their properties",
    arguments: [
      ("#keyPath(Node.leaf)", "\"isLeaf\""),
      ("#keyPath(Node.parent.leaf)", "\"parent.isLeaf\""),
      ("#keyPath(Node.children.leaf)", "\"children.isLeaf\""),
      ("#keyPath(Twig.leaf)", "\"isLeaf\""),
      ("#keyPath(Node.URL)", "\"URL\""),
      ("#keyPath(Node.URL.host)", "\"URL.host\""),
      ("#keyPath(_Node.name)", "\"name\""),
      ("NSStringFromSelector(#selector(getter: Node.leaf))", "\"isLeaf\""),
    ])
  func keys(_ source: String, _ expected: String) {
    let classes = ManagedClasses(of: [
      """
      class Node: NSManagedObject {
        @objc(isLeaf) @NSManaged var leaf: Bool
        @NSManaged var parent: Node?
        @NSManaged var children: Set<Node>
      }
      """,
      "class Twig: Node {}\nextension Node { @NSManaged var URL: NSURL }",
    ])
    expectPorted("let a = \(source)", becomes: "let a = \(expected)", among: classes)
  }

  @Test("comments inside of keys are kept")
  func comments() {
    expectPorted(
      "let a = #keyPath(\n  A.b // why\n)\nlet c = 1\n",
      becomes: "let a = \"b\" /* why */\nlet c = 1\n")
  }
}
