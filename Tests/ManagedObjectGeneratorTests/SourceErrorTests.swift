import Foundation
import Testing

@testable import ManagedObjectGenerator

@Suite struct SourceErrorTests {
  private func errors(_ text: String) -> [String] {
    do {
      let file = SourceFile(path: "/src/Person.swift", module: "Shop", text: text)
      _ = try SourceAccessors(module: "Shop", files: [file], dependencies: [])
      return []
    } catch let error as SourceErrors {
      return error.list.map(\.description)
    } catch {
      return ["\(error)"]
    }
  }

  @Test func `A type that the sources do not declare is an error with its location`() {
    #expect(
      errors(
        """
        class Person: NSManagedObject {
          @NSManaged var color: UIColor?
          @NSManaged var names: Set<Elsewhere.Name>
        }
        """) == [
          "/src/Person.swift:2:25: error: 'UIColor' is not declared in this target, its dependencies"
            + " or Foundation; @NSManaged needs a type that can be determined from the sources",
          "/src/Person.swift:3:29: error: 'Elsewhere' is not declared in this target, its dependencies"
            + " or Foundation; @NSManaged needs a type that can be determined from the sources",
        ])
  }

  @Test func `Aliases that refer to themselves are errors`() {
    let end = "; @NSManaged needs a type that can be determined from the sources"
    #expect(
      errors(
        """
        typealias One = Two
        typealias Two = [One]
        typealias List<Element> = [Element]
        typealias Three = List<Three>
        class Person: NSManagedObject {
          @NSManaged var one: One
          @NSManaged var three: Three?
          @NSManaged var names: List<List<String>>
        }
        """) == [
          "/src/Person.swift:6:23: error: 'One' is an alias of 'Two', which is an alias of '[One]', which is an"
            + " alias of itself" + end,
          "/src/Person.swift:7:25: error: 'Three' is an alias of 'List<Three>', which is an alias of itself"
            + end,
        ])
  }

  @Test func `Classes that are their own ancestors do not hang`() throws {
    #expect(
      errors(
        """
        class Person: Person.Inner {
          class Inner: Missing {}
          @NSManaged var other: Elsewhere
        }
        """) == [
          "/src/Person.swift:3:25: error: 'Elsewhere' is not declared in this target, its dependencies"
            + " or Foundation; @NSManaged needs a type that can be determined from the sources"
        ])
    #expect(
      errors(
        """
        private class One: Two {}
        private class Two: One {}
        class Person: NSManagedObject { @NSManaged private var one: One }
        """) == [])
  }

  @Test func `A private type is an error`() {
    #expect(
      errors(
        """
        private struct State { var a = 1 }
        class Person: NSManagedObject { @NSManaged private var state: State }
        """) == [
          "/src/Person.swift:2:63: error: 'State' uses 'State', which is visible only in its own file: make"
            + " 'State' internal; @NSManaged needs a type that can be determined from the sources"
        ])
  }

  @Test func `A private class is not an error: other files use its superclass`() throws {
    let file = SourceFile(
      path: "/src/Person.swift", module: "Shop",
      text: """
        import CoreData
        private class Color: NSObject {}
        private final class Tag: Labeled {
          @NSManaged var color: Color?
          @NSManaged var person: Person
        }
        private class Labeled: NSManagedObject { @NSManaged var tags: Set<Tag> }
        fileprivate class Root { class Inner: NSManagedObject { @NSManaged var root: Root } }
        class Person: NSManagedObject { @NSManaged fileprivate var tag: Tag? }
        """)
    let text = try SourceAccessors(module: "Shop", files: [file], dependencies: []).text
    #expect(
      text.matches(of: /_get_[0-9]+\(\) -> (.+) \{/).map { String($0.output.1) } == [
        "NSObject?", "Person", "Set<NSManagedObject>", "AnyObject", "NSManagedObject?",
      ])
  }

  @Test func `A private enumeration has a mirror with the same cases`() throws {
    let file = SourceFile(
      path: "/src/Person.swift", module: "Shop",
      text: """
        import CoreData
        class Person: NSManagedObject {
          private enum State: Int16 { case a, b; case c = 9 }
          private enum Unused: Int16 { case a }
          @NSManaged private var state: State
          @NSManaged private var last: State?
        }
        """)
    let text = try SourceAccessors(module: "Shop", files: [file], dependencies: []).text
    let name = try #require(
      text.firstMatch(of: /enum (_Managed_Person_State_\w+): Int16/)?.output.1)
    #expect(text.contains("{\n  case a, b\n  case c = 9\n}\n"))
    #expect(text.contains("-> \(name) {") && text.contains("-> \(name)? {"))
    #expect(!text.contains("Unused"))
    // In an optimized build, the compiler sees both enumerations, and would crash. So such a build reports an
    // error at the original.
    let refusals = text.split(separator: "#if !DEBUG").dropFirst()
    #expect(refusals.count == 2)
    for refusal in refusals {
      #expect(refusal.hasPrefix("\n#sourceLocation(file: \"/src/Person.swift\", line: 3)\n#error("))
      #expect(refusal.contains("Person.State is visible only in its own file"))
    }
  }

  @Test func `A mirror has the same cases under the same conditions`() throws {
    // Each case determines the implicit raw values of those after it.
    func mirror(_ members: String) throws -> String? {
      let file = SourceFile(
        path: "/src/Person.swift", module: "Shop",
        text: """
          import CoreData
          class Person: NSManagedObject {
            private enum State: Int16 {
          \(members)
            }
            @NSManaged private var state: State
          }
          """)
      let text = try SourceAccessors(module: "Shop", files: [file], dependencies: []).text
      return text.firstMatch(of: /enum _Managed_Person_State_\w+: Int16 \{\n([^}]*)\}/)
        .map { String($0.output.1) }
    }
    #expect(
      try mirror(
        """
        case a
        #if DEBUG && !FAST
        case b
        #elseif os(Linux)
        #if FAST
        case c
        #endif
        func run() {}
        #else
        case d
        #endif
        case e
        #if DEBUG
        func walk() {}
        #endif
        """) == """
            case a
            #if DEBUG && !FAST
            case b
            #elseif os(Linux)
            #if FAST
            case c
            #endif
            #else
            case d
            #endif
            case e

          """)
    // Without a mirror, the type is one that the accessors cannot refer to.
    #expect(throws: SourceErrors.self) { try mirror("case a\n#if FAST\ncase b(Int)\n#endif") }
  }

  @Test func `A public import replaces an internal one only where it applies`() throws {
    func imports(_ lines: String...) throws -> String {
      let files = lines.enumerated().map { number, line in
        SourceFile(
          path: "/src/\(number).swift", module: "Shop",
          text: """
            \(line)
            class Person\(number): NSManagedObject { @NSManaged var name: String? }
            """)
      }
      let text = try SourceAccessors(module: "Shop", files: files, dependencies: []).text
      return String(text[..<(text.firstRange(of: "\nprivate enum")?.lowerBound ?? text.endIndex)])
        .replacing(AccessorWriter.head, with: "")
    }
    let conditional = "#if FAST\npublic import Foo\n#endif"
    let both = "import Foo\n#if (FAST)\npublic import Foo\n#endif\n"
    #expect(try imports("import Foo", conditional) == both)
    #expect(try imports(conditional, "import Foo") == both)
    #expect(try imports("import Foo", "public import Foo") == "public import Foo\n")
    #expect(try imports("public import Foo", "internal import Foo") == "public import Foo\n")
    #expect(
      try imports("public import Foo", "#if FAST\nimport Foo\n#endif") == "public import Foo\n")
    #expect(
      try imports("public import Foo", "import struct Foo.Bar")
        == "import struct Foo.Bar\npublic import Foo\n")
  }

  @Test func `A re-export makes a module's types visible like a public import`() {
    func isPublic(_ text: String) -> Bool {
      ImportDeclaration(module: "Foo", text: text, conditions: []).isPublic
    }
    #expect(isPublic("@_exported import Foo"))
    #expect(isPublic("@preconcurrency public import Foo"))
    #expect(!isPublic("import Foo") && !isPublic("@testable import Foo"))
  }

  @Test func `A name such as primitiveAge means a primitive value, unless a model has the name`()
    throws
  {
    let file = SourceFile(
      path: "/src/Person.swift", module: "Shop",
      text: """
        import CoreData
        enum State: Int16 { case a }
        class Person: NSManagedObject {
          @NSManaged var primitiveState: State
          @NSManaged var primitiveAge: Int32
          @NSManaged var primitiveType: String?
          @NSManaged var primitiveness: String?
        }
        """)
    let accessors = try SourceAccessors(
      module: "Shop", files: [file], dependencies: [], modelNames: ["primitiveType", "age"])
    let keys = accessors.accessors.map(\.key)
    #expect(keys.map(\.name) == ["state", "age", "primitiveType", "primitiveness"])
    let names = ["primitiveState", "primitiveAge", "primitiveType", "primitiveness"]
    #expect(keys.map(\.propertyName) == names)
    #expect(
      accessors.accessors.map { $0.functions[0].body } == [
        "requiredPrimitiveEnumeration($key)", "requiredPrimitiveValue($key)", "managedValue($key)",
        "managedValue($key)",
      ])
  }

  @Test func `A type belongs to a module that the file imports`() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    func module(_ name: String, _ text: String) throws -> TypeTable.ModuleSources {
      let file = folder.appendingPathComponent("\(name).swift")
      try Data(text.utf8).write(to: file)
      return .init(name: name, paths: [file.path])
    }
    let dependencies = [
      try module("One", "public struct Size {}; public struct Only {}"),
      try module("Two", "public class Size {}; struct Inside {}"),
      try module("Three", "@_exported import Two"),
    ]
    func symbols(_ imports: String, _ type: String) throws -> [String] {
      let file = SourceFile(
        path: "/src/A.swift", module: "Shop",
        text: "\(imports)\nclass Person: NSManagedObject { @NSManaged var a: \(type) }")
      return try SourceAccessors(module: "Shop", files: [file], dependencies: dependencies)
        .accessors[0].functions.map(\.symbol)
    }
    #expect(try symbols("import One", "Size")[0].hasSuffix("3One4SizeVvg"))
    #expect(try symbols("import Two", "Size")[0].hasSuffix("3Two4SizeCvg"))
    #expect(try symbols("import Three", "Size")[0].hasSuffix("3Two4SizeCvg"))
    #expect(try symbols("@testable import Two", "Inside")[0].hasSuffix("3Two6InsideVvg"))
    #expect(throws: SourceErrors.self) { try symbols("import Two", "Inside") }
  }

  @Test func `A type of an imported module hides the standard library's, but not Foundation's`()
    throws
  {
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("\(UUID().uuidString).swift")
    try Data("public struct Duration {}\npublic struct Date {}".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    func accessors(_ imports: String, _ type: String) throws -> SourceAccessors {
      let source = SourceFile(
        path: "/src/A.swift", module: "Shop",
        text: "\(imports)\nclass Person: NSManagedObject { @NSManaged var a: \(type) }")
      return try SourceAccessors(
        module: "Shop", files: [source],
        dependencies: [.init(name: "Other", paths: [file.path])])
    }
    func getter(_ imports: String, _ type: String) throws -> String {
      try accessors(imports, type).accessors[0].functions[0].symbol
    }
    #expect(try getter("import Other", "Duration").hasSuffix("5Other8DurationVvg"))
    #expect(try getter("import Other", "Swift.Duration").hasSuffix("1as8DurationVvg"))
    #expect(try accessors("import Other", "Swift.Duration").text.contains("-> Swift.Duration"))
    #expect(try getter("import Foundation", "Duration").hasSuffix("1as8DurationVvg"))
    #expect(try !getter("import Other", "Date").contains("5Other"))
  }

  @Test func `A class inside a function, and a method with an unknown name, are errors`() {
    #expect(
      errors(
        """
        func make() {
          class Person: NSManagedObject { @NSManaged var name: String? }
        }
        class Person: NSManagedObject { @NSManaged func run() }
        """) == [
          "/src/Person.swift:2:35: error: @NSManaged does not work in a class inside a function or"
            + " another block of code; move the class out of it",
          "/src/Person.swift:4:49: error: Core Data does not implement a method 'run'; it implements"
            + " addTo…(_:), removeFrom…(_:), insertInto…(_:at:), removeFrom…(at:), replace…(at:with:),"
            + " primitive…() and setPrimitive…(_:)",
        ])
  }

  @Test(
    arguments: [
      "do {", "do {} catch {", "if true {", "if true {} else {", "for _ in 0..<1 {", "while true {",
      "switch 1 { default:", "class A { deinit {", "class A { init() {",
      "class A { subscript() -> Int {", "let a = {", "var a: Int {", "defer {",
    ])
  func `A class inside a block of code is an error`(start: String) {
    let depth = start.count { $0 == "{" } - start.count { $0 == "}" }
    let found = errors(
      "\(start)\nclass Person: NSManagedObject { @NSManaged var name: String? }\n"
        + String(repeating: "}\n", count: depth))
    #expect(found.count == 1)
    #expect(found.first?.contains("in a class inside a function or another block of code") == true)
  }

  @Test func `Code under conditions for other systems is ignored`() {
    #expect(
      errors(
        """
        class Person: NSManagedObject {
          #if canImport(UIKit)
          @NSManaged var color: UIColor?
          #elseif os(macOS) || canImport(AppKit)
          @NSManaged var color: NSColor?
          #else
          @NSManaged var color: String?
          #endif
        }
        """) == [])
  }

  @Test func `A condition that only the compiler can evaluate is left to the compiler`() throws {
    let file = SourceFile(
      path: "/src/Person.swift", module: "Shop",
      text: """
        import CoreData
        class Person: NSManagedObject {
          #if DEBUG
          @NSManaged var note: String?
          #elseif FAST
          @NSManaged var speed: Int64
          #endif
        }
        """)
    let accessors = try SourceAccessors(module: "Shop", files: [file], dependencies: [])
    #expect(accessors.accessors.map(\.conditions) == [["(DEBUG)"], ["!(DEBUG)", "(FAST)"]])
    #expect(accessors.text.contains("#if !(DEBUG) && (FAST)\n"))
  }
}
