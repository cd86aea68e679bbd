import CoreData
import Foundation
import Testing

/// Source: Apple's article "Migrating your data model automatically". A renaming identifier is a canonical name: if an
/// element is renamed in version 2 and again in version 3, its identifier works from version 2 to 3 as well as from 1
/// to 3.
@Suite("Elements of a composite attribute")
struct CompositeMigrationTests {
  /// A model whose `P.place` has these elements, each with its name, renaming identifier and
  /// default value.
  private static func model(
    _ elements: [(name: String, was: String?, value: Int?)]
  ) -> NSManagedObjectModel {
    let model = ModelText.model("P: n i16")
    let place = NSCompositeAttributeDescription()
    place.name = "place"
    place.elements = elements.map { name, was, value in
      let element = NSAttributeDescription()
      element.name = name
      element.attributeType = value == nil ? .stringAttributeType : .integer16AttributeType
      element.isOptional = true
      element.renamingIdentifier = was
      element.defaultValue = value.map { NSNumber(value: $0) }
      return element
    }
    model.entitiesByName["P"]?.properties.append(place)
    return model
  }

  private static let versions = [
    model([("street", nil, nil), ("zip", nil, nil)]),
    model([("road", "street", nil), ("zip", nil, nil)]),
    model([("way", "street", nil), ("floor", nil, 7)]),
  ]

  private func filled(_ kind: TestedStore) throws -> MigratedStore {
    let store = try MigratedStore(kind)
    try store.with(Self.versions[0]) {
      $0.insert("P", ["n": 1, "place": ["street": "Main", "zip": "1"]])
    }
    return store
  }

  private func place(_ context: NSManagedObjectContext) throws -> NSDictionary? {
    try context.all("P").first?.value(forKey: "place") as? NSDictionary
  }

  @Test(
    "Elements can be renamed twice, removed, and added with a default",
    arguments: TestedStore.fileKinds)
  func versions(_ kind: TestedStore) throws {
    let store = try filled(kind)
    try ProgressiveMigration(through: Self.versions).run(
      at: store.url, type: .init(rawValue: kind.type))
    try store.with(Self.versions[2], migrates: false) { context in
      let found = try place(context)
      #expect(found == ["way": "Main", "floor": 7] as NSDictionary)
    }
  }

  @Test(
    "A new element does not get the value of a renamed element that had its name before",
    arguments: TestedStore.fileKinds)
  func formerName(_ kind: TestedStore) throws {
    let store = try filled(kind)
    let new = Self.model([("road", "street", nil), ("street", nil, nil), ("zip", nil, nil)])
    try ProgressiveMigration(through: [Self.versions[0], new]).run(
      at: store.url, type: .init(rawValue: kind.type))
    try store.with(new, migrates: false) { context in
      let found = try place(context)
      #expect(found == ["road": "Main", "zip": "1"] as NSDictionary)
    }
  }
}
