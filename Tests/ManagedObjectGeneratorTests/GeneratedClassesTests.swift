import FixtureSupport
import Foundation
import ObjectModel
import SwiftParser
import SwiftSyntax
import Testing

@testable import ManagedObjectGenerator

/// How generated classes use the names in a model, including names that are invalid in Swift.
@Suite struct GeneratedClassesTests {
  private let file = "Shop.xcdatamodeld/Shop.xcdatamodel/contents"

  private func entity(_ attributes: String) -> String {
    """
    <entity name="A" representedClassName="A" codeGenerationType="class">
    \(attributes)
    </entity>
    """
  }

  /// `.` and `Module.` occur in the models of SyncKit and of the fixture cdt-materials.
  @Test(arguments: [
    ("NSArray", "NSArray?"), (".NSArray", "NSArray?"), (".", "NSObject?"), ("Shop.", "NSObject?"),
    (" ", "NSObject?"), ("", "NSObject?"), ("Color", "Color?"), (".Color", "Color?"),
    ("Shop.Color", "Shop.Color?"), ("[String]", "[String]?"),
    ("Foundation.Data", "Foundation.Data?"),
  ])
  func `A transformable attribute has the class that the model refers to`(
    _ name: String, _ type: String
  ) throws {
    let target = try GeneratedTarget(
      entities: entity(
        "<attribute name=\"p\" attributeType=\"Transformable\" customClassName=\"\(name)\"/>"),
      sources: ["Color.swift": "class Color {}"])
    _ = try target.run()
    let text = try target.text("Shop+ManagedObjectClasses.swift")
    #expect(text.contains("  public var p: \(type) {\n"))
    #expect(!Parser.parse(source: text).hasError)
  }

  @Test(arguments: [
    ("UIColor", "is not declared in this target, its dependencies or Foundation"),
    ("NSString *", "is not a Swift type"), ("A; var b", "is not a Swift type"),
    ("NSObject = f()", "is not a Swift type"), ("NSObject, b: NSObject", "is not a Swift type"),
    ("NSObject { NSObject() }", "is not a Swift type"), ("NSObject // a", "is not a Swift type"),
  ])
  func `An unknown class is reported with its attribute`(
    _ name: String, _ reason: String
  ) throws {
    let target = try GeneratedTarget(
      entities: entity(
        "<attribute name=\"p\" attributeType=\"Transformable\" customClassName=\"\(name)\"/>"))
    #expect(target.errors() == ["\(file):3:1: error: A.p: its class '\(name)' \(reason)"])
  }

  @Test func `An undeclared superclass and an undeclared destination are reported`() throws {
    let target = try GeneratedTarget(
      entities: """
        <entity name="Base" representedClassName="Base"/>
        <entity name="A" representedClassName="A" codeGenerationType="class" parentEntity="Base">
        <relationship name="base" optional="YES" maxCount="1" destinationEntity="Base"/>
        </entity>
        """)
    let reason =
      "is not declared in this target, its dependencies or Foundation"
    #expect(
      target.errors() == [
        "\(file):3:1: error: A: its superclass 'Base' \(reason)",
        "\(file):4:1: error: A.base: its class 'Base' \(reason)",
      ])
  }

  @Test func `The module of a superclass is imported`() throws {
    let target = try GeneratedTarget(
      entities: """
        <entity name="Base" representedClassName="Base"/>
        <entity name="A" representedClassName="A" codeGenerationType="class" parentEntity="Base"/>
        """)
    let source = target.folder.appendingPathComponent("other/Base.swift")
    try FileManager.default.createDirectory(
      at: source.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data("import CoreData\nopen class Base: NSManagedObject {}".utf8).write(to: source)
    target.options = ["--dependency", "Other", "--dependency-source", source.path]
    _ = try target.run()
    let text = try target.text("Shop+ManagedObjectClasses.swift")
    #expect(text.contains("\nimport CoreData\nimport Other\n"))
    #expect(text.contains("public class A: Base {"))
  }

  @Test func `A class of a dependency's model hides the standard library's type of the same name`()
    throws
  {
    let target = try GeneratedTarget(
      entities: """
        <entity name="Character" representedClassName="Character"/>
        <entity name="Hero" representedClassName="Hero" codeGenerationType="class" parentEntity="Character"/>
        <entity name="Play" representedClassName="Play" codeGenerationType="class">
        <attribute name="title" optional="YES" attributeType="String"/>
        </entity>
        """,
      sources: [
        "Scene.swift": """
        import CoreData
        import Other
        class Scene: NSManagedObject { @NSManaged var lead: Character? }
        """
      ])
    try target.add(
      "<entity name=\"C\" representedClassName=\"Character\" codeGenerationType=\"class\"/>",
      to: "other/Cast.xcdatamodeld")
    let model = target.folder.appendingPathComponent("other/Cast.xcdatamodeld")
    target.options = ["--dependency", "Other", "--dependency-model", model.path]
    _ = try target.run()
    let text = try target.text("Shop+ManagedObjectClasses.swift")
    #expect(text.contains("\nimport CoreData\nimport Other\n"))
    #expect(text.contains("public class Hero: Character {"))
    let accessors = try target.text("ManagedObjectAccessors.swift")
    #expect(accessors.contains("4lead5Other9CharacterCSgvg"))
  }

  @Test func `A structure of a dependency is not imported for a class of a model`() throws {
    let target = try GeneratedTarget(
      entities: """
        <entity name="A" representedClassName="A" codeGenerationType="class">
        <attribute name="names" optional="YES" attributeType="Transformable" customClassName="[String]"/>
        </entity>
        """)
    let source = target.folder.appendingPathComponent("other/Text.swift")
    try FileManager.default.createDirectory(
      at: source.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data("public struct String {}".utf8).write(to: source)
    target.options = ["--dependency", "Other", "--dependency-source", source.path]
    _ = try target.run()
    #expect(try !target.text("Shop+ManagedObjectClasses.swift").contains("import Other"))
  }

  @Test func `Names that are invalid in Swift, and duplicate classes, are reported`() throws {
    let target = try GeneratedTarget(
      entities: """
        <entity name="A" representedClassName="A-B" codeGenerationType="class"/>
        <entity name="B" representedClassName="C" codeGenerationType="class"/>
        <entity name="C&quot;" representedClassName="C" codeGenerationType="class"/>
        """)
    try target.add(
      "<entity name=\"D\" representedClassName=\"C\" codeGenerationType=\"class\"/>",
      to: "Else.xcdatamodeld")
    try target.add("<entity name=\"E\"/>", to: "again/Shop.xcdatamodeld")
    for model in ["Else.xcdatamodeld", "again/Shop.xcdatamodeld"] {
      target.options += ["--model", target.folder.appendingPathComponent(model).path]
    }
    #expect(
      target.errors() == [
        "\(file):2:1: error: A: 'A-B' cannot be the name of a class in Swift",
        "\(file):4:1: error: C\": the class 'C' is already generated for Shop.B",
        "Else.xcdatamodeld/Else.xcdatamodel/contents:2:1: error: D: the class 'C' is already"
          + " generated for Shop.B",
        "again/Shop.xcdatamodeld: error: the target has another model named 'Shop', and both would"
          + " have the same path in its bundle",
      ])
  }

  @Test func `Only a root class is made Identifiable, and only if it is not already`() throws {
    let target = try GeneratedTarget(
      entities: """
        <entity name="Base" representedClassName="Base" codeGenerationType="class"/>
        <entity name="Mid" representedClassName="Mid" parentEntity="Base"/>
        <entity name="Leaf" representedClassName="Leaf" codeGenerationType="class" parentEntity="Mid"/>
        <entity name="Own" representedClassName="Own"/>
        <entity name="Low" representedClassName="Low" codeGenerationType="class" parentEntity="Own"/>
        <entity name="Said" representedClassName="Said" codeGenerationType="category"/>
        """,
      sources: [
        "Classes.swift": """
        import CoreData
        class Mid: Base {}
        class Own: NSManagedObject {}
        extension Own: Identifiable {}
        class Said: NSManagedObject, Identifiable {}
        """
      ])
    _ = try target.run()
    let text = try target.text("Shop+ManagedObjectClasses.swift")
    let lines = text.split(separator: "\n").filter { $0.contains("Identifiable") }
    #expect(lines == ["extension Base: Identifiable {}"])
  }

  @Test func `The Objective-C name of a property is its name in the model`() throws {
    let target = try GeneratedTarget(
      entities: "<entity name=\"N\" representedClassName=\"N\"/>",
      sources: [
        "N.swift": """
        import CoreData
        class N: NSManagedObject {
          #if canImport(ObjectiveC)
          @objc(isLeaf)
          #endif
          @NSManaged var leaf: Bool
          @NSManaged var plain: Bool
        }
        """
      ])
    _ = try target.run()
    let text = try target.text("ManagedObjectAccessors.swift")
    #expect(text.contains("ManagedKey(\"isLeaf\", propertyName: \"leaf\")"))
    #expect(text.contains("ManagedKey(\"plain\")"))
  }

  @Test func `Names that need backticks or escapes get them`() throws {
    let target = try GeneratedTarget(
      entities: """
        <entity name="A" representedClassName="default" codeGenerationType="class">
        <attribute name="9x" attributeType="String"/>
        <attribute name="in" attributeType="String"/>
        <relationship name="a-b" optional="YES" toMany="YES" ordered="YES" destinationEntity="A"/>
        </entity>
        """)
    _ = try target.run()
    let text = try target.text("Shop+ManagedObjectClasses.swift")
    #expect(!Parser.parse(source: text).hasError)
    for name in ["var `9x`:", "var `in`:", "func `addToA-b`(", "public class `default`:"] {
      #expect(text.contains(name))
    }
    #expect(text.contains("public typealias defaultCoreDataClassSet = NSSet\n"))
  }

  @Test(.enabled(if: Fixtures.areAvailable, "no fixtures"))
  func `The classes of every fixture's model are valid Swift, or the model is rejected`() throws {
    let all = try #require(
      FileManager.default.enumerator(at: Fixtures.url("models"), includingPropertiesForKeys: nil))
    let models = all.compactMap { $0 as? URL }.filter { $0.pathExtension == "xcdatamodeld" }
    #expect(models.count > 20)
    for model in models {
      let target = try GeneratedTarget(entities: "<entity name=\"Unused\"/>")
      target.options = ["--model", model.path]
      if !target.errors().isEmpty { continue }
      let name = model.deletingPathExtension().lastPathComponent
      let text = try target.text("\(name)+ManagedObjectClasses.swift")
      #expect(!Parser.parse(source: text).hasError, "\(model.path)")
    }
  }
}
