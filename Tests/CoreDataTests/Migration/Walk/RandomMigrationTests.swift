import CSQLite
import CoreData
import FixtureSupport
import Foundation
import ObjectModel
import Testing

/// Migrates stores through several random models, and plain dictionaries in the same way.
@Suite("Random migrations")
struct RandomMigrationTests {
  /// The expected state of an object.
  private struct Twin {
    let oid: Int
    var entity: Int
    /// The values by the attributes' numbers.
    var values: [Int: Value] = [:]
  }

  private enum Value: Equatable {
    case number(Double)
    case text(String)
  }

  /// Pairs of owner and member, by the relationships' numbers.
  private typealias Links = [Int: Set<[Int]>]

  @Test(
    "A random migration has the expected rows, a new store's schema, and no findings")
  func chains() throws {
    var random = SeededGenerator("RandomMigrationTests")
    let rounds =
      ProcessInfo.processInfo.environment["OPENCOREDATA_SOAK_STEPS"].flatMap(Int.init) ?? 5
    for round in 0..<rounds { try chain(round, &random) }
    print("migrations: in all: \(rounds) chains")
  }

  private func chain(_ round: Int, _ random: inout SeededGenerator) throws {
    let store = try MigratedStore()
    var spec = ChangingModel(&random)
    var model = spec.model()
    var twins: [Twin] = []
    var links: Links = [:]
    for step in 0..<4 {
      try store.with(model) { context in
        try fill(context, spec, &twins, &links, &random)
      }
      try verify(store, model, "before \(round), step \(step) \(spec.relationships)")
      var next = spec
      next.mutate(&random)
      let new = next.model()
      let need = ModelComparison(from: model, to: new).migration.weight
      if need == 2 {
        let error = #expect(throws: NSError.self) { try store.with(new) { _ in } }
        #expect(error?.code == NSInferredMappingModelError)
        continue
      }
      let before = links
      migrate(&twins, &links, spec, next)
      let place: Comment = "round \(round), step \(step)"
      try store.with(new) { context in
        try check(context, next, twins, &links, before, spec, place)
      }
      try checkSchema(of: store, new, place)
      try verify(store, new, place)
      (spec, model) = (next, new)
    }
  }

  private func verify(
    _ store: MigratedStore, _ model: NSManagedObjectModel, _ place: Comment
  ) throws {
    let findings = try NSPersistentStoreCoordinator.verifyPersistentStore(
      at: store.url, model: model
    ).findings
    #expect(findings.isEmpty, place)
  }

  // MARK: Filling

  private func fill(
    _ context: NSManagedObjectContext, _ spec: ChangingModel, _ twins: inout [Twin],
    _ links: inout Links, _ random: inout SeededGenerator
  ) throws {
    var objects = try all(context, spec)
    for _ in 0..<12 {
      let entity = spec.entities.randomElement(using: &random)!
      var twin = Twin(oid: (twins.map(\.oid).max() ?? 0) + 1, entity: entity.number)
      let object = context.insert(entity.name, ["oid": twin.oid])
      for attribute in spec.attributes(of: entity.number) {
        let value = attribute.defaultValue
        if attribute.isRequired || Bool.random(using: &random) {
          let number = Int.random(in: -99...99, using: &random)
          if attribute.type == "string" {
            object.setValue("\(number)", forKey: attribute.name)
            twin.values[attribute.number] = .text("\(number)")
          } else {
            object.setValue(NSDecimalNumber(value: number), forKey: attribute.name)
            twin.values[attribute.number] = .number(Double(number))
          }
        } else if let value {
          twin.values[attribute.number] = Self.value(value, attribute)
        }
      }
      twins.append(twin)
      objects[twin.oid] = object
    }
    for (owner, relationship) in spec.relationships {
      let owners = twins.filter { spec.isKind($0.entity, of: owner) }
      let members = twins.filter { spec.isKind($0.entity, of: relationship.destination) }
      for owner in owners where Int.random(in: 0..<3, using: &random) == 0 && !members.isEmpty {
        let member = members.randomElement(using: &random)!
        guard let object = objects[owner.oid], let other = objects[member.oid] else { continue }
        if !relationship.isToMany {
          object.setValue(other, forKey: relationship.name)
        } else if relationship.isOrdered {
          object.mutableOrderedSetValue(forKey: relationship.name).add(other)
        } else {
          object.mutableSetValue(forKey: relationship.name).add(other)
        }
      }
    }
    try context.save()
    // In a relationship without an inverse, a member belongs to the last owner it was added to.
    context.reset()
    links = try read(context, spec)
  }

  private static func value(_ number: Int, _ attribute: ChangingModel.Attribute) -> Value {
    attribute.type == "string" ? .text("\(number)") : .number(Double(number))
  }

  private func all(
    _ context: NSManagedObjectContext, _ spec: ChangingModel
  ) throws -> [Int: NSManagedObject] {
    var objects: [Int: NSManagedObject] = [:]
    for entity in spec.entities where entity.parent == nil {
      for object in try context.all(entity.name) {
        objects[object.value(forKey: "oid") as? Int ?? 0] = object
      }
    }
    return objects
  }

  private func read(_ context: NSManagedObjectContext, _ spec: ChangingModel) throws -> Links {
    var links: Links = [:]
    let objects = try all(context, spec)
    for (owner, relationship) in spec.relationships {
      for (oid, object) in objects {
        let entity = spec.entities.first { $0.name == object.entity.name }!
        guard spec.isKind(entity.number, of: owner) else { continue }
        let members: [Any]
        switch object.value(forKey: relationship.name) {
        case let set as NSSet: members = set.allObjects
        case let set as NSOrderedSet: members = set.array
        case let one?: members = [one]
        case nil: members = []
        }
        for member in members {
          let number = (member as? NSManagedObject)?.value(forKey: "oid") as? Int ?? 0
          links[relationship.number, default: []].insert([oid, number])
        }
      }
    }
    return links
  }

  // MARK: The twin's migration

  private func migrate(
    _ twins: inout [Twin], _ links: inout Links, _ old: ChangingModel, _ new: ChangingModel
  ) {
    let entities = Set(new.entities.map(\.number))
    twins.removeAll { !entities.contains($0.entity) }
    for index in twins.indices {
      let before = old.attributes(of: twins[index].entity)
      var values: [Int: Value] = [:]
      for attribute in new.attributes(of: twins[index].entity) {
        let source = before.first { $0.number == attribute.number }
        let fallback = attribute.defaultValue.map { Self.value($0, attribute) }
        if source == nil {
          values[attribute.number] = fallback
        } else {
          values[attribute.number] =
            twins[index].values[attribute.number] ?? (attribute.isRequired ? fallback : nil)
        }
      }
      twins[index].values = values
    }
    let known = Set(twins.map(\.oid))
    links = links.mapValues { $0.filter { known.isSuperset(of: $0) } }
  }

  // MARK: Checking

  private func check(
    _ context: NSManagedObjectContext, _ spec: ChangingModel, _ twins: [Twin], _ links: inout Links,
    _ before: Links, _ old: ChangingModel, _ place: Comment
  ) throws {
    let objects = try all(context, spec)
    #expect(Set(objects.keys) == Set(twins.map(\.oid)), place)
    for twin in twins {
      guard let object = objects[twin.oid] else { continue }
      #expect(object.entity.name == spec.entity(twin.entity).name, place)
      for attribute in spec.attributes(of: twin.entity) {
        let found: Value? =
          switch object.value(forKey: attribute.name) {
          case let text as String: .text(text)
          case let number as NSNumber: .number(number.doubleValue)
          default: nil
          }
        #expect(
          found == twin.values[attribute.number],
          "\(place) \(spec.entity(twin.entity).name).\(attribute.name) of \(twin.oid)")
      }
    }
    let found = try read(context, spec)
    for (_, relationship) in spec.relationships {
      let was = old.relationship(relationship.number)
      let expected = was == nil ? [] : links[relationship.number] ?? []
      let now = found[relationship.number] ?? []
      let text: Comment = "\(place) \(relationship.name)"
      #expect(now.isSubset(of: expected), text)
      let inverse = relationship.inverse.flatMap(spec.relationship)?.relationship
      let isNarrowed =
        was?.relationship.isToMany == true && !relationship.isToMany
        || relationship.inverse.flatMap(old.relationship)?.relationship.isToMany == true
          && inverse?.isToMany == false
        || inverse == nil && relationship.isToMany
      if !isNarrowed { #expect(now == expected, text) }
      // Every owner keeps a member if it could have kept one.
      if inverse?.isToMany != false, !(inverse == nil && relationship.isToMany) {
        #expect(Set(now.map { $0[0] }) == Set(expected.map { $0[0] }), text)
      }
    }
    links = found
  }

  /// Checks that the tables, columns, indexes and triggers equal those of a new store.
  private func checkSchema(
    of store: MigratedStore, _ model: NSManagedObjectModel, _ place: Comment
  ) throws {
    let fresh = try MigratedStore()
    try fresh.with(model) { _ in }
    let (old, new) = (try SchemaPicture(store.url), try SchemaPicture(fresh.url))
    #expect(old.columns == new.columns, place)
    #expect(old.others == new.others, place)
    #expect(old.entities == new.entities, place)
  }
}
