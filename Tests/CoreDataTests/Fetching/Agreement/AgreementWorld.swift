import CoreData
import FixtureSupport
import Testing

/// A store with sample rows, a context of the store, and the context's objects.
final class AgreementWorld {
  let model: NSManagedObjectModel
  let paths: ModelPaths
  let coordinator: NSPersistentStoreCoordinator
  /// The context in which predicates are evaluated in memory, with pending changes.
  let context: NSManagedObjectContext
  /// The objects of the context that are not deleted, by row number.
  private(set) var objects: [Int: NSManagedObject] = [:]
  private(set) var rowNumbers: [NSManagedObjectID: Int] = [:]

  /// Makes a new store in memory with rows.
  init(_ model: NSManagedObjectModel, _ rows: [Int: SampleRow]) throws {
    self.model = model
    paths = ModelPaths(model)
    let stack = try SampleStack(model: model)
    coordinator = stack.coordinator
    context = stack.context
    try context.performAndWait {
      for (number, row) in rows.sorted(by: { $0.key < $1.key }) {
        let object = context.insert(row.entity)
        objects[number] = object
        set(row.values, of: object)
      }
      for (number, row) in rows.sorted(by: { $0.key < $1.key }) { link(number, row.links) }
      try context.save()
      for (number, object) in objects { rowNumbers[object.objectID] = number }
      // From now on, objects are read from the store.
      context.reset()
      for (id, number) in rowNumbers { objects[number] = try context.existingObject(with: id) }
    }
  }

  /// Uses an existing store with its own rows.
  init(_ store: OpenStore, _ model: NSManagedObjectModel, entities: [String]) throws {
    self.model = model
    paths = ModelPaths(model)
    coordinator = store.coordinator
    context = store.context
    try context.performAndWait {
      for name in entities {
        let request = NSFetchRequest<NSManagedObject>(entityName: name)
        request.includesSubentities = false
        for object in try context.fetch(request) {
          let number = objects.count + 1
          objects[number] = object
          rowNumbers[object.objectID] = number
        }
      }
    }
  }

  private func set(_ values: [String: SampleValue], of object: NSManagedObject) {
    for (key, value) in values.sorted(by: { $0.key < $1.key }) {
      object.setValue(value.object, forKey: key)
    }
  }

  private func link(_ row: Int, _ links: [String: [Int]]) {
    guard let object = objects[row] else { return }
    for (key, rows) in links.sorted(by: { $0.key < $1.key }) {
      let destinations = rows.compactMap { objects[$0] }
      guard let relationship = object.entity.relationshipsByName[key] else { continue }
      let value: Any? =
        !relationship.isToMany
        ? destinations.first
        : relationship.isOrdered ? NSOrderedSet(array: destinations) : NSSet(array: destinations)
      object.setValue(value, forKey: key)
    }
  }

  /// Makes a change in the context, without saving it.
  func apply(_ change: SampleChange) {
    switch change {
    case .insert(let number, let row):
      let object = context.insert(row.entity)
      objects[number] = object
      set(row.values, of: object)
      link(number, row.links)
      rowNumbers[object.objectID] = number
    case .delete(let number):
      guard let object = objects.removeValue(forKey: number) else { return }
      context.delete(object)
    case .set(let number, let values):
      if let object = objects[number] { set(values, of: object) }
    case .link(let number, let links): link(number, links)
    }
  }

  /// Returns the rows of an entity's objects, with or without those of subentities.
  func objects(of entity: String, withSubentities: Bool) -> [(row: Int, object: NSManagedObject)] {
    guard let description = model.entitiesByName[entity] else { return [] }
    return objects.filter { _, object in
      withSubentities
        ? object.entity.isKindOf(entity: description) : object.entity.name == entity
    }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// Returns the value for an argument of a format.
  func value(of argument: FormatArgument) -> Any {
    switch argument {
    case .value(let value): return value.object ?? NSNull()
    case .keyPath(let path): return path
    case .object(let row, let asID):
      guard let object = objects[row] else { return NSNull() }
      return asID ? object.objectID : object
    case .values(let values, let asSet):
      let values = values.map { value(of: $0) }
      // Foundation cannot hash decimal numbers on this platform.
      let isHashable = !values.contains { $0 is NSDecimalNumber }
      return asSet && isHashable ? NSSet(array: values) as Any : values
    }
  }
}

/// An unsaved change.
enum SampleChange: Sendable, CustomStringConvertible {
  case insert(Int, SampleRow)
  case delete(Int)
  case set(Int, [String: SampleValue])
  case link(Int, [String: [Int]])

  var description: String {
    switch self {
    case .insert(let number, let row): "insert row \(number) \(row)"
    case .delete(let number): "delete row \(number)"
    case .set(let number, let values): "row \(number): \(values)"
    case .link(let number, let links): "row \(number): \(links)"
    }
  }

  /// Returns a few random changes of all kinds.
  static func some(
    _ rows: [Int: SampleRow], _ maker: SampleRowMaker, _ random: inout SeededGenerator
  ) -> [SampleChange] {
    var changes: [SampleChange] = []
    var rows = rows
    for _ in 0..<Int.random(in: 2...8, using: &random) {
      guard let number = rows.keys.sorted().randomElement(using: &random), let row = rows[number],
        let entity = maker.entity(row.entity)
      else { break }
      switch Int.random(in: 0..<7, using: &random) {
      case 0, 1:
        guard let kind = maker.entities.randomElement(using: &random) else { continue }
        let next = (rows.keys.max() ?? 0) + 1
        var new = SampleRow(entity: kind.name ?? "", values: maker.values(kind, &random))
        new.links = maker.links(kind, rows, &random)
        rows[next] = new
        changes.append(.insert(next, new))
      case 2:
        rows[number] = nil
        changes.append(.delete(number))
      case 3, 4:
        let all = maker.values(entity, &random)
        let some = all.sorted { $0.key < $1.key }.shuffled(using: &random).prefix(2)
        changes.append(.set(number, Dictionary(uniqueKeysWithValues: Array(some))))
      default:
        let all = maker.links(entity, rows, &random).sorted { $0.key < $1.key }
        guard let one = all.randomElement(using: &random) else { continue }
        changes.append(.link(number, [one.key: one.value]))
      }
    }
    return changes
  }
}
