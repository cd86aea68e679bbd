import Foundation
import ObjectModel
import Testing

@testable import ManagedObjectGenerator

@Suite struct GenerationTests {
  @Test func `A compiled model has the class names of the target`() throws {
    let target = try GeneratedTarget(
      entities: """
        <entity name="A" representedClassName="A" codeGenerationType="class"/>
        <entity name="B" representedClassName=".B"/>
        <entity name="C" representedClassName="CDC"/>
        <entity name="D" representedClassName="D"/>
        <entity name="E" representedClassName="Elsewhere.E"/>
        <entity name="F" representedClassName="F"/>
        <entity name="G"/>
        """,
      sources: [
        "Classes.swift": """
        class B: NSManagedObject {}
        #if canImport(ObjectiveC)
        @objc(CDC)
        #endif
        class C: NSManagedObject {}
        enum Kinds { class D: NSManagedObject {} }
        """
      ])
    _ = try target.run()
    #expect(
      try target.classNames() == [
        "A": "Shop.A", "B": "Shop.B", "C": "Shop.C", "D": "Shop.Kinds.D", "E": "Elsewhere.E",
        "F": "F", "G": "NSManagedObject",
      ])
  }

  @Test func `Unchanged output is not written again`() throws {
    let target = try GeneratedTarget(
      entities: "<entity name=\"A\" representedClassName=\"A\" codeGenerationType=\"class\"/>")
    _ = try target.run()
    func dates() throws -> [Date?] {
      try ["Shop.momd", "Shop.momd/Shop.mom", "Shop+ManagedObjectClasses.swift"].map { name in
        try FileManager.default.attributesOfItem(
          atPath: target.output.appendingPathComponent(name).path)[.modificationDate] as? Date
      }
    }
    let before = try dates()
    _ = try target.run()
    #expect(try dates() == before)
  }

  @Test func `An invalid model is rejected with file, line, entity and property`() throws {
    let file = "Shop.xcdatamodeld/Shop.xcdatamodel/contents"
    let broken = try GeneratedTarget(
      entities: """
        <entity name="A" representedClassName="A">
          <attribute name="ok" attributeType="String"/>
          <attribute name="objectID" attributeType="String"/>
        </entity>
        """)
    #expect(
      broken.errors() == [
        "\(file):4:1: error: A.objectID: every managed object already has a member with this name"
      ])
    let unreadable = try GeneratedTarget(
      entities: """
        <entity name="A" representedClassName="A">
          <attribute name="age" attributeType="Integer 16" defaultValueString="x"/>
        </entity>
        """)
    #expect(unreadable.errors().count == 1)
    #expect(unreadable.errors()[0].hasPrefix("\(file):3:1: error: A.age: "))
  }

  @Test func `A duplicate or missing class is reported with advice`() throws {
    let target = try GeneratedTarget(
      entities: """
        <entity name="A" representedClassName="A" codeGenerationType="class"/>
        <entity name="B" representedClassName="B" codeGenerationType="category"/>
        """,
      sources: ["A.swift": "class A: NSManagedObject {}"])
    let file = "Shop.xcdatamodeld/Shop.xcdatamodel/contents"
    #expect(
      target.errors() == [
        "\(file):2:1: error: A: A.swift already declares the class 'A'; set the entity's Codegen to"
          + " \"Manual/None\", or to \"Category/Extension\" to add its properties",
        "\(file):3:1: error: B: Codegen is \"Category/Extension\", and the target has no class 'B' to"
          + " extend",
      ])
  }

  @Test func `Attributes have the types that Xcode uses`() throws {
    let types: [(String, String, String)] = [
      ("Integer 16", "YES", "Int16"), ("Integer 32", "YES", "Int32"),
      ("Integer 64", "YES", "Int64"), ("Double", "YES", "Double"), ("Float", "YES", "Float"),
      ("Boolean", "YES", "Bool"), ("Date", "YES", "TimeInterval"),
      ("Integer 16", "NO", "NSNumber?"),
      ("Boolean", "NO", "NSNumber?"), ("Date", "NO", "Date?"), ("String", "NO", "String?"),
      ("Decimal", "NO", "NSDecimalNumber?"), ("Binary", "NO", "Data?"), ("UUID", "NO", "UUID?"),
      ("URI", "NO", "URL?"), ("Transformable", "NO", "NSObject?"),
    ]
    let attributes = types.enumerated().map { number, type in
      "<attribute name=\"p\(number)\" attributeType=\"\(type.0)\" usesScalarValueType=\"\(type.1)\"/>"
    }
    let target = try GeneratedTarget(
      entities: """
        <entity name="A" representedClassName="A" codeGenerationType="class">
        \(attributes.joined(separator: "\n"))
        </entity>
        """)
    _ = try target.run()
    let text = try target.text("Shop+ManagedObjectClasses.swift")
    for (number, type) in types.enumerated() {
      #expect(text.contains("  public var p\(number): \(type.2) {\n"))
    }
    #expect(text.contains("public class A: NSManagedObject {"))
    #expect(text.contains("@nonobjc public class func fetchRequest() -> NSFetchRequest<A> {"))
    #expect(text.contains("extension A: Identifiable {}"))
  }

  @Test func `A handwritten property can have a class that the model generates`() throws {
    let target = try GeneratedTarget(
      entities: "<entity name=\"A\" representedClassName=\"A\" codeGenerationType=\"class\"/>",
      sources: [
        "B.swift": "import CoreData\nclass B: NSManagedObject { @NSManaged var owner: A? }"
      ])
    _ = try target.run()
    #expect(try target.text("ManagedObjectAccessors.swift").contains("$s4Shop1BC5ownerAA1ACSgvg"))
  }

  @Test func `A property's type can come from a module that only another file imports`()
    throws
  {
    let target = try GeneratedTarget(
      entities: "",
      sources: [
        "A.swift": "import CoreData\nclass A: NSManagedObject { @NSManaged var stars: Rating }",
        "B.swift": "import Other\ntypealias Rating = Stars",
      ])
    let source = target.folder.appendingPathComponent("other/Stars.swift")
    try FileManager.default.createDirectory(
      at: source.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data("public class Stars {}".utf8).write(to: source)
    target.options = ["--dependency", "Other", "--dependency-source", source.path]
    _ = try target.run()
    let text = try target.text("ManagedObjectAccessors.swift")
    #expect(text.contains("\nimport Other\n"))
    #expect(text.contains("-> Stars"))
  }

  @Test func `Public classes import their modules publicly if imports are internal by default`()
    throws
  {
    let entities = "<entity name=\"A\" representedClassName=\"A\" codeGenerationType=\"class\"/>"
    let target = try GeneratedTarget(entities: entities)
    _ = try target.run()
    #expect(
      try target.text("Shop+ManagedObjectClasses.swift").contains(
        "#if hasFeature(InternalImportsByDefault)\npublic import CoreData\n#else\nimport CoreData\n#endif\n"
      ))
    let other = try GeneratedTarget(
      entities: entities, sources: ["B.swift": "@preconcurrency public import CoreData"])
    _ = try other.run()
    #expect(try !other.text("Shop+ManagedObjectClasses.swift").contains("hasFeature"))
  }
}
