import SourcePorting
import Testing

@Suite("Code that cannot be ported")
struct ObstacleTests {
  @Test(
    "An obstacle is reported with its location and advice",
    arguments: [
      ("import UIKit", 1, 1, "#if canImport(UIKit)"),
      ("import Combine", 1, 1, "no Combine"),
      (
        "func f() {\n  class A: NSManagedObject { @NSManaged var a: String }\n}", 2, 30,
        "move the class out"
      ),
      (
        "switch a { case let b as NSFetchedResultsController<P>: f(b)\ndefault: break }", 1, 21,
        "(casting: …)"
      ),
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
      ("let a = #selector(tap)", 1, 9, "cannot be called by selector"),
      (
        "let u = Bundle(for: A.self).url(forResource: \"Model\", withExtension: \"momd\")", 1, 29,
        "Bundle.module"
      ),
      ("@objc protocol P {\n  @objc optional func f()\n}", 2, 9, "default implementation"),
      ("let c = NSPersistentCloudKitContainer(name: \"A\")", 1, 9, "NSPersistentContainer"),
      ("class M: ObservableObject {}", 1, 10, "no Combine"),
      (
        "func validateName(_ v: AutoreleasingUnsafeMutablePointer<AnyObject?>) throws {}", 1, 6,
        "validateValue(_:forKey:)"
      ),
      ("let k = #keyPath(Person)", 1, 9, "write the key as a string"),
      (
        "extension A { public override func awakeFromInsert() {} }", 1, 22, "move it into the class"
      ),
      ("#if !os(Linux)\nimport UIKit\n#else\nimport Combine\n#endif", 4, 1, "no Combine"),
      ("#if canImport(Combine)\nimport Combine\n#endif\nimport UIKit", 4, 1, "separate files"),
      (
        "c.addObserver(self, selector: Selector(\"saved:\"), name: n, object: nil)", 1, 31,
        "addObserver(forName:object:queue:using:)"
      ),
      (
        "c.addObserver(self, selector: NSSelectorFromString(\"saved:\"), name: n, object: nil)", 1,
        31,
        "addObserver(forName:object:queue:using:)"
      ),
      (
        "c.addObserver(self, selector: saved, name: n, object: nil)", 1, 3,
        "addObserver(forName:object:queue:using:)"
      ),
      ("a.perform(Selector((\"tick:\")), with: b)", 1, 11, "call the method"),
      ("perform(#selector(tick), with: nil, afterDelay: 2)", 1, 9, "DispatchQueue.main.asyncAfter"),
      ("let a = b.responds(to: Selector((\"tick:\")))", 1, 24, "as? any"),
      (
        "u.registerUndo(withTarget: self, selector: Selector((\"undo:\")), object: nil)", 1, 44,
        "pass a closure"
      ),
      (
        "let s = NSSortDescriptor(key: \"a\", ascending: true, selector: Selector(\"compareNames:\"))",
        1, 63, "comparator of your own"
      ),
      (
        "class A: B {\n  override class func automaticallyNotifiesObservers(forKey k: String) -> Bool"
          + " { false }\n}", 2, 23, "keys are not observed"
      ),
      ("func f() { objectWillChange.send() }", 1, 12, "#if canImport(Combine)"),
      ("func f() { objc_sync_enter(self) }", 1, 12, "NSLock"),
      ("let c = object_getClass(a)", 1, 9, "type(of:)"),
      ("let c = class_getProperty(A.self, name)", 1, 9, "NSEntityDescription"),
      ("let c = class_copyPropertyList(A.self, nil)", 1, 9, "NSEntityDescription"),
      ("let e = keyValueObservingExpectation(for: a, keyPath: \"b\")", 1, 9, "notification"),
      ("struct V { @FetchRequest(sortDescriptors: []) var a: A }", 1, 12, "DeclarativeCoreData"),
      (
        "struct V { @SectionedFetchRequest(sectionIdentifier: a) var a: A }", 1, 12,
        "DeclarativeCoreData"
      ),
      ("func f(a: FetchedResults<A>) {}", 1, 11, "DeclarativeCoreData"),
      (
        "struct V { @Environment(\\.managedObjectContext) var a }", 1, 12,
        "NSManagedObjectContext.current"
      ),
      ("struct V { @Environment(\\.colorScheme) var a }", 1, 12, "belongs to SwiftUI"),
      ("let k = #keyPath(Person.ID.name)", 1, 9, "may be a type"),
      ("let k = #keyPath(UIView.isHidden)", 1, 9, "usually \"hidden\""),
      (
        "class V: UIView {\n  override var isHidden: Bool { didSet {} }\n"
          + "  let k = #keyPath(isHidden)\n}", 3, 11, "usually \"hidden\""
      ),
    ])
  func obstacles(_ source: String, _ line: Int, _ column: Int, _ text: String) {
    let obstacles = PortedSource(source).obstacles
    #expect(obstacles.count == 1)
    #expect(obstacles.first?.line == line && obstacles.first?.column == column)
    #expect(obstacles.first?.text.contains(text) == true, "\(obstacles)")
  }

  @Test("Supported features are not reported")
  func known() {
    for source in [
      "let s = Selector(\"compare:\")",
      "let s = NSSortDescriptor(key: \"a\", ascending: true, selector: given)",
      "import DeclarativeCoreData\nstruct V { @FetchRequest(sortDescriptors: []) var a: FetchedResults<A> }",
      "func f() { context.perform { g() } }",
    ] {
      #expect(PortedSource(source).obstacles == [])
    }
  }

  @Test("Computed properties that Objective-C finds by key are reported until they are handled")
  func computedProperties() {
    let head = "import CoreData\nclass A: NSManagedObject {}\n"
    let body = "extension A {\n  @objc var initial: String { \"a\" }\n}\n"
    let ported = PortedSource(head + body)
    #expect(ported.obstacles.map(\.line) == [4])
    #expect(ported.obstacles.first?.text.contains("value(forUndefinedKey:)") == true)
    // It remains an obstacle in the ported source.
    #expect(ported.remainingObstacles.map(\.line) == [7])
    let answer = """
      class A: NSManagedObject {
        override func value(forUndefinedKey key: String) -> Any? {
          key == "initial" ? initial : super.value(forUndefinedKey: key)
        }
      }

      """
    #expect(PortedSource(answer + body).obstacles == [])
    for member in ["@objc var a = 1", "var a: Int { 1 }", "@objc static var a: Int { 1 }"] {
      #expect(PortedSource(head + "extension A { \(member) }").obstacles == [])
    }
    #expect(PortedSource("class B: NSObject { @objc var a: Int { 1 } }").obstacles == [])
  }

  /// Source: the Swift language reference, "objcMembers" and "objc". Members of an `@objcMembers` class, of its
  /// extensions and of its subclasses are visible to Objective-C, unless they are private or Objective-C cannot
  /// represent their types.
  @Test("Properties visible to Objective-C through their class or extension are reported too")
  func computedPropertiesOfExposedClasses() {
    let base = "import CoreData\n@objcMembers class A: NSManagedObject {}\nclass B: A {}\n"
    for source in [
      base + "extension A { var initial: String { \"a\" } }\n",
      base + "extension B { var initial: String { get { \"a\" } set {} } }\n",
      "import CoreData\nclass A: NSManagedObject {}\n"
        + "@objc extension A { var initial: String { \"a\" } }\n",
    ] {
      let obstacles = PortedSource(source).obstacles
      #expect(obstacles.count == 1 && obstacles[0].text.contains("\"initial\""), "\(obstacles)")
    }
    for member in [
      "private var a: Int { 1 }", "@nonobjc var a: Int { 1 }", "var a: Int? { 1 }",
      "var a: (Int, Int) { (1, 1) }", "var a = 1", "static var a: Int { 1 }",
      "struct S {}\nvar a: S { S() }", "var a: some P { b }",
    ] {
      #expect(PortedSource(base + "extension A {\n\(member)\n}").obstacles == [], "\(member)")
    }
  }

  @Test("A generated class cannot contain an override, so the class must be written by hand")
  func generatedClasses() {
    let person = ManagedClasses.Generated(
      name: "Person", base: "NSManagedObject", properties: ["name": nil])
    for (member, text) in [
      ("@objc var initial: String { \"a\" }", "value(forUndefinedKey:)"),
      ("override public func willSave() {}", "move it into the class"),
      ("convenience init(context: NSManagedObjectContext) {}", "required"),
    ] {
      let source = "import CoreData\nextension Person {\n  \(member)\n}\n"
      let known = PortedSource(source, among: ManagedClasses(of: [source], generating: [person]))
      #expect(known.obstacles.count == 1, "\(member)")
      let advice = known.obstacles.first?.text ?? ""
      #expect(advice.contains(text), "\(advice)")
      #expect(
        advice.contains(
          "Person is generated: set the Codegen of its entity to Category/Extension in the model, and write"
            + " public class Person: NSManagedObject {}"), "\(advice)")
      // Without the model, a fetch request shows that the class is a managed object class, which may be generated.
      let use = "let r: NSFetchRequest<Person> = Person.fetchRequest()\n"
      let presumed = PortedSource(source, among: ManagedClasses(of: [source, use]))
      #expect(presumed.obstacles.first?.text.contains("if Person is generated, set") == true)
    }
    // A handwritten class can contain the override.
    let own = "import CoreData\npublic extension P {\n  override func willSave() {}\n}\n"
    let classes = ManagedClasses(of: ["class P: NSManagedObject {}", own])
    #expect(
      PortedSource(own, among: classes).obstacles.map(\.text) == [
        "overriding members in extensions needs Objective-C: move it into the class"
      ])
  }

  @Test("Policy methods that mapping models call are reported until they are handled")
  func policyMethods() {
    let method = "  @objc func title(_ a: String, manager: NSMigrationManager) -> String { a }\n"
    let ported = PortedSource("import CoreData\nclass P: NSEntityMigrationPolicy {\n\(method)}\n")
    #expect(ported.obstacles.map(\.line) == [3])
    let text = ported.obstacles.first?.text ?? ""
    #expect(text.contains("\"title:manager:\"") && text.contains("value(forFunction:arguments:)"))
    let answer = "  override func value(forFunction s: String) { if s == \"title:manager:\" {} }\n"
    #expect(
      PortedSource("import CoreData\nclass P: NSEntityMigrationPolicy {\n\(method)\(answer)}\n")
        .obstacles == [])
  }

  @Test(
    "Selectors of policy methods are those that the compiler derives",
    arguments: [
      ("convert(total: Int)", "convertWithTotal:"), ("convert(format: Int)", "convertWithFormat:"),
      ("convert(ofTotal: Int)", "convertOfTotal:"), ("convert(of: Int)", "convertOf:"),
      ("convertTo(total: Int, _ a: Int, b: Int)", "convertToTotal::b:"),
      ("convert(matching: Int)", "convertMatching:"), ("convert(`in`: Int)", "convertIn:"),
      ("convert(_ a: Int, within: Int)", "convert:within:"), ("convert()", "convert"),
      ("convertURL(total: Int)", "convertURLWithTotal:"), ("convert(url: Int)", "convertWithUrl:"),
      ("convert(URL: Int)", "convertWithURL:"), ("convert(forURL: Int)", "convertForURL:"),
      ("saveURLAs(name: Int)", "saveURLAsWithName:"), ("saveURLTo(name: Int)", "saveURLToName:"),
      ("convertIDs(of: Int)", "convertIDsOf:"), ("convertIN(total: Int)", "convertINTotal:"),
      ("convert(INCents: Int)", "convertINCents:"), ("convert_to(total: Int)", "convert_toTotal:"),
    ])
  func selectors(_ signature: String, _ selector: String) {
    let ported = PortedSource(
      "import CoreData\nclass P: NSEntityMigrationPolicy {\n  @objc func \(signature) {}\n}\n")
    #expect(ported.obstacles.first?.text.contains("implement \"\(selector)\"") == true)
  }

  @Test("An obstacle is reported with its location before and after porting")
  func places() {
    let ported = PortedSource(
      "import CoreData\n@objc class A {}\nlet c = object_getClass(A.self)\n")
    #expect(ported.obstacles.map(\.line) == [3])
    #expect(ported.remainingObstacles.map(\.line) == [6])
    #expect(ported.remainingObstacles.map(\.column) == [9])
  }
}
