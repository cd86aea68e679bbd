import Foundation
import Testing

@testable import ObjectModel

/// Finding problems takes time linear in the size of the model. The tests count how often rules
/// read names.
@Suite(.serialized) struct LinearInspectionTests {
  /// Expects reads of names to grow about fourfold for a model of four times the size.
  private func expectLinear(
    _ what: String, sourceLocation: SourceLocation = #_sourceLocation,
    _ make: (Int) -> NSManagedObjectModel
  ) {
    func reads(_ size: Int) -> Int {
      let model = make(size)
      CountedAttribute.reads = 0
      _ = model.problems
      return CountedAttribute.reads
    }
    let (small, large) = (reads(100), reads(400))
    #expect(small >= 100, "\(what)", sourceLocation: sourceLocation)
    #expect(
      large <= small * 5, "\(what): \(small) reads, then \(large)", sourceLocation: sourceLocation)
  }

  private func entity(_ name: String, _ properties: [NSPropertyDescription]) -> NSEntityDescription
  {
    let entity = NSEntityDescription()
    entity.name = name
    entity.properties = properties
    return entity
  }

  private func attributes(_ count: Int, _ prefix: String = "a") -> [NSPropertyDescription] {
    (0..<count).map { CountedAttribute("\(prefix)\($0)") }
  }

  private func model(_ entities: [NSEntityDescription]) -> NSManagedObjectModel {
    let model = NSManagedObjectModel()
    model.entities = entities
    return model
  }

  @Test func `Finding problems takes time linear in an entity's attributes`() {
    expectLinear("attributes") { model([entity("A", attributes($0))]) }
    expectLinear("attributes of one name") { size in
      model([entity("A", (0..<size).map { _ in CountedAttribute("same") })])
    }
    expectLinear("attributes that differ in case") { size in
      model([entity("A", (0..<size).map { CountedAttribute($0.isMultiple(of: 2) ? "x" : "X") })])
    }
  }

  @Test func `Finding problems takes time linear in inherited attributes`() {
    expectLinear("inheritance") { size in
      let (above, below) = (entity("A", attributes(size)), entity("B", attributes(size, "b")))
      above.subentities = [below]
      return model([above, below])
    }
  }

  @Test func `Finding problems takes time linear in constraints and indexes`() {
    expectLinear("constraints") { size in
      let entity = entity("A", attributes(size))
      entity.uniquenessConstraints = (0..<size).map { ["a\($0)"] }
      return model([entity])
    }
    expectLinear("indexes") { size in
      let entity = entity("A", attributes(size))
      entity.indexes = entity.properties.map { property in
        NSFetchIndexDescription(
          name: "by\(property.name)",
          elements: [NSFetchIndexElementDescription(property: property, collationType: .binary)])
      }
      return model([entity])
    }
  }

  @Test func `Finding problems takes time linear in the entities`() {
    expectLinear("entities") { size in
      model((0..<size).map { entity("E\($0)", attributes(2)) })
    }
  }

  @Test func `Suggestions for unknown names stop when there are too many`() {
    let entity = entity("A", attributes(2_000))
    entity.uniquenessConstraints = (0..<2_000).map { ["x\($0)"] }
    let unknown = model([entity]).problems.filter { $0.kind == .invalidConstraint }
    #expect(unknown.count == 2_000)
    #expect(unknown[0].message.contains("did you mean"))
    #expect(
      unknown[1_999].message == "a uniqueness constraint contains the unknown property 'x1999'")
  }

  @Test func `A property is found by its name after every change`() {
    let entity = entity("A", attributes(40))
    #expect(entity.property(named: "a7") === entity.properties[7])
    entity.properties[7].name = "other"
    #expect(entity.property(named: "a7") == nil)
    #expect(entity.property(named: "other") === entity.properties[7])
    entity.properties.removeLast()
    #expect(entity.property(named: "a39") == nil)
    #expect(entity.property(named: "a38") === entity.properties[38])
    // If two properties have the same name, the last one is found.
    entity.properties[3].name = "a4"
    #expect(entity.property(named: "a4") === entity.ownProperties[4])
  }

  @Test func `A chain of entities is distinguished from a cycle`() {
    let chain = (0..<300).map { entity("E\($0)", []) }
    for (above, below) in zip(chain, chain.dropFirst()) { above.subentities = [below] }
    #expect(!model(chain).problems.contains { $0.kind == .circularParents })
    chain[299].subentities = [chain[100]]
    let circular = model(chain).problems.filter { $0.kind == .circularParents }
    #expect(circular.map(\.entityName) == (100..<300).map { "E\($0)" })
  }

  @Test
  func `A chain of too many entities is reported once, at the first one beyond the limit`() {
    let chain = (0..<1_200).map { entity("E\($0)", []) }
    for (above, below) in zip(chain, chain.dropFirst()) { above.subentities = [below] }
    let found = model(chain).problems.filter { $0.kind == .tooManyAncestors }
    #expect(
      found.map(\.description) == ["E1000: it has 1000 ancestors; the maximum is 999"]
    )
    #expect(model(Array(chain.prefix(1_000))).problems.allSatisfy { $0.kind != .tooManyAncestors })
  }
}

/// An attribute that counts how often its name is read.
private final class CountedAttribute: NSAttributeDescription, @unchecked Sendable {
  nonisolated(unsafe) static var reads = 0

  override var name: String {
    get {
      Self.reads += 1
      return super.name
    }
    set { super.name = newValue }
  }

  init(_ name: String) {
    super.init()
    attributeType = .stringAttributeType
    self.name = name
  }
}
