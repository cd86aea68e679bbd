import Foundation
import Testing

@testable import ManagedObjectGenerator

@Suite struct ChosenFormsTests {
  /// Compares the symbols of a source with the undefined symbols that the compiler emits.
  private func compare(_ source: String, module: String = "Shop") throws {
    let compiler = try CompilerRun()
    defer { compiler.remove() }
    try compiler.write(source, to: "Source.swift")
    let accessors = try SourceAccessors(
      module: module, paths: [compiler.path("Source.swift")], dependencies: [])
    let own = Set(accessors.accessors.flatMap(\.functions).map(\.symbol))
    try compiler.compile(["Source.swift"], module: module, "-Onone", "-wmo", "-c", "-o", "a.o")
    let wanted = try compiler.undefinedSymbols(of: "a.o", module: module)
    #expect(wanted.subtracting(own).sorted() == [], "missing symbols")
    #expect(own.subtracting(wanted).sorted() == [], "unexpected symbols")
  }

  @Test func `Repeated types are substituted, and those that cannot be substituted are repeated`()
    throws
  {
    let pairs = [
      "any First", "any First & Second", "(Int, String)", "any Codable", "any Error", "AnyObject",
      "Any", "Int?", "Tag & First", "First & AnyObject", "[Int]", "(Int, String)?",
      "(x: First, First)", "any Sendable", "any Hashable", "()", "Tag", "Tag?", "Set<Tag>",
      "Double",
    ]
    let properties = pairs.enumerated().map { number, type in
      "  @NSManaged var p\(number): (\(type), \(type), Tag, Tag, \(type))"
    }
    try compare(
      """
      import CoreData
      class Tag: NSManagedObject {}
      protocol First {}
      protocol Second {}
      class Holder: NSManagedObject {
      \(properties.joined(separator: "\n"))
      }
      """)
  }

  @Test func `Nested types, inherited names, aliases and unusual identifiers are resolved`() throws
  {
    try compare(
      """
      import CoreData
      class Tag: NSManagedObject {
        class Kind: NSManagedObject {}
        typealias Kinds = Set<Kind>
      }
      struct Box<A> {
        struct In<B>: Hashable { struct Deep {} }
        typealias List = [A]
      }
      typealias Table<Value> = [String: Value]
      class Holder: Tag {
        @NSManaged var a: Kind?
        @NSManaged var b: Kinds
        @NSManaged var c: Box<Int>.In<String>.Deep
        @NSManaged var d: [Box<Tag>.In<Tag>: (Box<Tag>.In<Tag>, Box<Tag>.In<Tag>.Deep)]
        @NSManaged var e, f: Swift.Int, g: Shop.Tag.Kind
        @NSManaged var `self`: Foundation.URL?
        @NSManaged var 🙂: Int
        @NSManaged var é: Table<Table<Int>>
        @NSManaged var aa: Tag!
        @NSManaged var many: (Int, Int, Int, String, String, Bool, Bool, Int?)
        @NSManaged func addToTags(_ values: (Int, String))
        @NSManaged func primitiveName() throws -> String?
      }
      private class Secret: Holder {
        @NSManaged private var own: Tag
        func use() { own = own }
      }
      """)
  }

  #if compiler(>=6.2)
    @Test func `Raw identifiers have the compiler's symbols`() throws {
      try compare(
        """
        import CoreData
        class Holder: NSManagedObject {
          @NSManaged var `two words`: String?
          @NSManaged var `1st`: String
          @NSManaged var `a-b`: Int
        }
        """)
    }
  #endif

  @Test func `Properties of every known system type have the compiler's symbols`() throws {
    let spelling = TypeSpelling(table: TypeTable(module: "Shop", []))
    let names = try KnownTypes.all.filter { entry in
      entry.genericParameterCount == 0
        && ["Swift", "Foundation"].contains(
          KnownTypes.importedModule(of: entry.type.module))
    }.map { entry in
      let name = try spelling.text(entry.type)
      return entry.type.kind == .protocol ? "any \(name)" : name
    }
    #expect(names.count > 200)
    // Some protocols cannot be used as types.
    let unusable: Set<String> = ["any Copyable", "any Escapable", "any BitwiseCopyable"]
    let properties = names.filter { !unusable.contains($0) }.enumerated().map { number, name in
      "  @NSManaged var p\(number): [\(name)]"
    }
    try compare(
      """
      import CoreData
      import Foundation
      class Holder: NSManagedObject {
      \(properties.joined(separator: "\n"))
      }
      """)
  }
}
