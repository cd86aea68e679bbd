import SourcePorting
import Testing

@Suite("Porting classes")
struct ClassTests {
  // MARK: Initializers

  @Test(
    "An overridden required initializer becomes required and as visible as its class")
  func requiredInitializers() {
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

  @Test("init(context:) of a managed object is required, and moves from an extension to the class")
  func contextInitializers() {
    let tail = "init(context: NSManagedObjectContext) {}\n}\n"
    let head = "import CoreData\npublic class A: NSManagedObject {\n  "
    expectPorted(
      head + "convenience " + tail, becomes: head + "required public convenience " + tail)
    expectPorted(
      head + tail,
      becomes: head + "required public " + tail.dropLast(2)
        + "  required override public init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?)"
        + " { super.init(entity: entity, insertInto: context) }\n}\n")
    expectPorted(
      "import CoreData\nclass A: NSManagedObject {\n}\nextension A {\n  convenience " + tail,
      becomes: "import CoreData\nclass A: NSManagedObject {\n  required convenience " + tail)
    let other = "import CoreData\nclass B: C {\n  convenience " + tail
    expectPorted(other, becomes: other)
    // The class can be in another file.
    let classes = ManagedClasses(of: ["class C: NSManagedObject {}"])
    let apart = "import CoreData\nextension C {\n  convenience " + tail
    expectPorted(apart, becomes: apart, among: classes)
    #expect(PortedSource(apart, among: classes).obstacles.map(\.line) == [3])
  }

  @Test("Transformers and migration policies, which are created by class name, get init()")
  func plainInitializers() {
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

  /// Source: compilers. On Apple's platforms such a class compiles, but its objects cannot be
  /// fetched.
  @Test("A managed object with initializers of its own gets those that contexts use")
  func ownInitializers() {
    let own = "  init(name: String, in context: NSManagedObjectContext) { fatalError() }\n"
    let entity = "init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?)"
    let body = "{ super.init(entity: entity, insertInto: context) }\n"
    let head = "import CoreData\npublic class A: NSManagedObject {\n"
    expectPorted(
      head + own + "}\n",
      becomes: head + own + "  required override public \(entity) \(body)}\n")
    // An existing initializer is only marked as required.
    expectPorted(
      head + "  override \(entity) \(body)" + own + "}\n",
      becomes: head + "  required override public \(entity) \(body)" + own + "}\n")
    // The generated initializer has no value for a property without a default, so it stops the program.
    expectPorted(
      "import CoreData\nclass A: NSManagedObject {\n  let b: Int\n\(own)}\n",
      becomes: "import CoreData\nclass A: NSManagedObject {\n  let b: Int\n\(own)"
        + "  required override \(entity)"
        + " { fatalError(\"init(entity:insertInto:) has not been implemented\") }\n}\n")
    // A package's macro may generate the initializer.
    let modeled = "import CoreData\n@Model(kind: .plain)\nclass A: NSManagedObject {\n\(own)}\n"
    expectPorted(modeled, becomes: modeled)
    for members in [
      "  convenience init(name: String) { fatalError() }\n",
      "  #if DEBUG\n  required override public \(entity) {}\n  #endif\n\(own)", "  var a = 1\n",
    ] {
      expectPorted(head + members + "}\n", becomes: head + members + "}\n")
    }
    let other = "import CoreData\nclass B: NSObject {\n\(own)}\n"
    expectPorted(other, becomes: other)
  }

  /// Source: the Swift language reference, "Automatic Initializer Inheritance".
  @Test("A subclass of a class with initializers of its own does not inherit init(context:)")
  func initializersBelowOthers() {
    let entity =
      "  required override init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?)"
      + " { super.init(entity: entity, insertInto: context) }\n"
    let context =
      "  required convenience init(context: NSManagedObjectContext)"
      + " { self.init(entity: Self.entity(), insertInto: context) }\n"
    let base = ManagedClasses(of: [
      "class A: NSManagedObject {\n  init(name: String) {}\n}", "class B: A {}",
      "class C: B {\n  init(age: Int) {}\n}", "class D: A { override init(name: String) {} }",
      "class E: NSManagedObject { required init(context: NSManagedObjectContext) {} }",
    ])
    let head = "import CoreData\nclass C: B {\n  init(age: Int) {}\n"
    expectPorted(head + "}\n", becomes: head + entity + context + "}\n", among: base)
    // A class that overrides all designated initializers inherits the convenience initializers.
    let whole = "import CoreData\nclass D: A {\n  override init(name: String) {}\n"
    expectPorted(whole + "}\n", becomes: whole + entity + "}\n", among: base)
    let made =
      "import CoreData\nclass E: NSManagedObject {\n  required init(context: NSManagedObjectContext) {}\n"
    expectPorted(made + "}\n", becomes: made + entity + "}\n", among: base)
  }

  // MARK: Members that are moved

  @Test("Overriding members of extensions move into the class in the same file")
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
    // A member that is public because of its extension, or whose class is not in the source, is
    // unchanged.
    for head in ["public extension Person", "extension Other"] {
      let source =
        "import CoreData\nclass Person: NSManagedObject {\n}\n\(head) {\n  override func willSave() {}\n}\n"
      expectPorted(source, becomes: source)
      #expect(PortedSource(source).obstacles.count == 1)
    }
  }

  @Test("An emptied extension is removed, and the comments above it move with its members")
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

  @Test("Code after a moved member on the same line is kept")
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
    "Keys are the names that the classes in all sources declare for their properties",
    arguments: [
      ("#keyPath(Node.leaf)", "\"isLeaf\""),
      ("#keyPath(Node.parent.leaf)", "\"parent.isLeaf\""),
      ("#keyPath(Node.children.leaf)", "\"children.isLeaf\""),
      ("#keyPath(Twig.leaf)", "\"isLeaf\""),
      ("#keyPath(Node.URL)", "\"URL\""),
      ("#keyPath(Node.URL.host)", "\"URL.host\""),
      ("#keyPath(_Node.name)", "\"name\""),
      ("#keyPath(Node.list.leaf)", "\"list.isLeaf\""),
      ("#keyPath(Node.Kind.leaf)", "\"isDone\""),
      ("#keyPath(Node.ID.name)", "\"ID.name\""),
      ("#keyPath(Shop.Node.leaf)", "\"isLeaf\""),
      ("NSStringFromSelector(#selector(getter: Node.parent.leaf))", "\"isLeaf\""),
      ("NSStringFromSelector(#selector(getter: Node.leaf))", "\"isLeaf\""),
    ])
  func keys(_ source: String, _ expected: String) {
    let classes = ManagedClasses(of: [
      """
      class Node: NSManagedObject {
        @objc(isLeaf) @NSManaged var leaf: Bool
        @NSManaged var parent: Node?
        @NSManaged var children: Set<Node>
        @NSManaged var list: [Node]
        class Kind: NSObject { @objc(isDone) var leaf: Bool { false } }
      }
      """,
      "class Twig: Node {}\nextension Node { @NSManaged var URL: NSURL }",
    ])
    expectPorted("let a = \(source)", becomes: "let a = \(expected)", among: classes)
  }

  /// Source: Objective-C declarations on Apple's pages, such as `@property (getter=isInserted,
  /// readonly) BOOL inserted`. A key path contains the property's name.
  @Test(
    "Properties of Apple's classes that Swift renames have their Objective-C keys",
    arguments: [
      ("#keyPath(Person.isInserted)", "\"inserted\""),
      ("#keyPath(NSManagedObject.isFault)", "\"fault\""),
      ("#keyPath(Person.team.isDeleted)", "\"team.deleted\""),
      ("#keyPath(Person.isDone)", "\"isDone\""),
      ("#keyPath(Person.isUpdated.a)", "\"updated.a\""),
      ("#keyPath(Operation.isFinished)", "\"finished\""),
      ("#keyPath(Import.isFinished)", "\"finished\""),
      ("#keyPath(Import.isLate)", "\"isLate\""),
      ("#keyPath(Import.isExecuting)", "\"running\""),
      ("#keyPath(HTTPCookie.isHTTPOnly)", "\"HTTPOnly\""),
      ("#keyPath(Thread.isMainThread)", "\"isMainThread\""),
      ("#keyPath(NSEntityDescription.isAbstract)", "\"abstract\""),
      ("#keyPath(NSManagedObjectContext.hasChanges)", "\"hasChanges\""),
      ("#keyPath(Item.isDone)", "\"isDone\""),
      ("#keyPath(CDItem.isDone)", "\"isDone\""),
      ("#keyPath(Own.isInserted)", "\"isInserted\""),
      ("NSStringFromSelector(#selector(getter: Operation.isFinished))", "\"isFinished\""),
    ])
  func keysOfApples(_ source: String, _ expected: String) {
    let classes = ManagedClasses(of: [
      """
      class Person: NSManagedObject { @NSManaged var isDone: Bool; @NSManaged var team: Team? }
      class Team: NSManagedObject {}
      class Import: Operation {
        override var isFinished: Bool { true }
        @objc(running) override var isExecuting: Bool { true }
        @objc var isLate = false
      }
      class Own: NSObjectProtocol { @objc var isInserted = false }
      """
    ])
    expectPorted("let a = \(source)", becomes: "let a = \(expected)", among: classes)
  }

  @Test("A capitalized name in a key path may be a property instead of a type")
  func capitalKeys() {
    for (path, key) in [
      ("Person.URL", "URL"), ("Person.URL.host", "URL.host"), ("Shop.Person.URL", "URL"),
      ("Shop.Person.name", "name"),
    ] {
      expectPorted("let a = #keyPath(\(path))", becomes: "let a = \"\(key)\"")
    }
    expectPorted(
      "class A: B {\n  let a = #keyPath(URL.host), b = #keyPath(Name), c = #keyPath(self.URL.host)\n}",
      becomes: "class A: B {\n  let a = \"URL.host\", b = \"Name\", c = \"URL.host\"\n}")
  }

  @Test("Comments within keys are kept")
  func comments() {
    expectPorted(
      "let a = #keyPath(\n  A.b // why\n)\nlet c = 1\n",
      becomes: "let a = \"b\" /* why */\nlet c = 1\n")
    // The delimiters of block comments in a line comment do not end or nest the new comment.
    for (comment, kept) in [
      ("// see a*/b", "see a* /b"), ("/// see a/*", "see a/ *"), ("// */*/", "* / * /"),
      ("// /*/", "* /"), ("//*", "*"),
    ] {
      expectPorted(
        "let a = #keyPath(\n  A.b \(comment)\n)\nlet c = 1\n",
        becomes: "let a = \"b\" /* \(kept) */\nlet c = 1\n")
    }
  }
}
