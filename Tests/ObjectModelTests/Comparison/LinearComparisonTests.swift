import Foundation
import Testing

@testable import ObjectModel

/// Reporting removed indexes takes time linear in their number: a test counts how often names are read.
@Suite(.serialized) struct LinearComparisonTests {
  private func attributes(_ count: Int) -> [NSPropertyDescription] {
    (0..<count).map { number in
      let attribute = NSAttributeDescription()
      attribute.name = "a\(number)"
      attribute.attributeType = .stringAttributeType
      return attribute
    }
  }

  private func model(_ entities: [NSEntityDescription]) -> NSManagedObjectModel {
    let model = NSManagedObjectModel()
    model.entities = entities
    return model
  }

  private func entity(_ name: String) -> NSEntityDescription {
    let entity = NSEntityDescription()
    entity.name = name
    return entity
  }

  @Test func `Reporting removed indexes takes linear time`() {
    func reads(_ size: Int) -> Int {
      let (before, after) = (entity("A"), entity("A"))
      before.properties = attributes(size)
      after.properties = attributes(size)
      before.indexes = (0..<size).map { CountedIndex("i\($0)", of: "a\($0)") }
      let (old, new) = (model([before]), model([after]))
      CountedIndex.reads = 0
      let texts = ModelComparison(from: old, to: new).changes.map(\.text)
      #expect(texts.count == size)
      #expect(texts.first == "index i0 a0 → none")
      return CountedIndex.reads
    }
    let (small, large) = (reads(100), reads(400))
    #expect(small >= 100)
    #expect(large <= small * 5, "\(small) reads, then \(large)")
  }

  @Test func `A changed index is reported with its old and its new columns`() {
    let (before, after) = (entity("A"), entity("A"))
    before.properties = attributes(2)
    after.properties = attributes(2)
    before.indexes = [CountedIndex("i", of: "a0")]
    after.indexes = [CountedIndex("i", of: "a1"), CountedIndex("new", of: "a0")]
    let changes = ModelComparison(from: model([before]), to: model([after])).changes
    #expect(changes.map(\.text) == ["index i a0 → a1", "index new none → a0"])
  }

  /// Shows that the result is right for a large model. The limit only ends a run that hangs, and does not show that
  /// the time is linear.
  @Test(.timeLimit(.minutes(60)))
  func `Thousands of removed entities are compared`() {
    let count = 3_000
    func entities() -> [NSEntityDescription] {
      let all = (0..<count).map { entity("E\($0)") }
      for (number, entity) in all.enumerated() {
        let relationship = NSRelationshipDescription()
        relationship.name = "next"
        relationship.destinationEntity = all[(number + 1) % count]
        relationship.maxCount = 1
        entity.properties = [relationship]
      }
      return all
    }
    let (old, new) = (model(entities()), model([entity("Other")]))
    let comparison = ModelComparison(from: old, to: new)
    #expect(comparison.changes.count == count + 1)
    #expect(comparison.comparison(ofNew: new.entities[0])?.name == "Other")
  }
}

/// An index that counts how often its name is read.
private final class CountedIndex: NSFetchIndexDescription, @unchecked Sendable {
  nonisolated(unsafe) static var reads = 0

  override var name: String {
    get {
      Self.reads += 1
      return super.name
    }
    set { super.name = newValue }
  }

  init(_ name: String, of property: String) {
    super.init(
      name: name,
      elements: [NSFetchIndexElementDescription(propertyName: property, collationType: .binary)])
  }
}
