import CoreData
import Testing

// Apple's page for NSPropertyDescription sets no limit on the nesting of validation predicates.

@Suite("Deep validation predicates")
struct DeepValidationTests {
  /// A model whose players' names have a validation predicate that nests this many levels deep.
  private static func makeModel(
    depth: Int, _ type: (Int) -> NSCompoundPredicate.LogicalType
  ) throws -> NSManagedObjectModel {
    let other = try NSPredicate(validating: "SELF != 'y'")
    let predicate = (0..<depth).reduce(try NSPredicate(validating: "SELF == 'x'")) {
      NSCompoundPredicate(type: type($1), subpredicates: [$0, other])
    }
    let model = SampleStack.makeModel()
    model.entitiesByName["Player"]?.attributesByName["name"]?.setValidationPredicates(
      [predicate], withValidationWarnings: ["deep"])
    return model
  }

  /// Expects that a SQLite file's copy of the model has one validation predicate for the name, or none.
  private static func expectArchived(_ isArchived: Bool, in stack: SampleStack) throws {
    guard StoreScope.current.kind == .sqlite else { return }
    let url = try #require(stack.coordinator.persistentStores.first?.url)
    let copy = try onSmallStack { try NSPersistentStoreCoordinator.cachedModel(ofStoreAt: url) }
    let name = try #require(copy?.entitiesByName["Player"]?.attributesByName["name"])
    #expect(name.validationPredicates.count == (isArchived ? 1 : 0))
    if let predicate = name.validationPredicates.first {
      #expect(try predicate.evaluated(with: "x"))
      #expect(try !predicate.evaluated(with: "y"))
    }
  }

  @Test(.only(TestedStore.allCases, "a custom store of a program keeps no model"))
  func `A long chain of predicates is archived with the store's model, and validates`() throws {
    let model = try Self.makeModel(depth: 2_500) { _ in .and }
    let scope = StoreScope.current
    let stack = try onSmallStack { try SampleStack(scope, model: model) }
    try Self.expectArchived(true, in: stack)
    try stack.context.performAndWait {
      let player = stack.context.insert("Player", ["name": "x"])
      try stack.context.save()
      player.setValue("y", forKey: "name")
      #expect(throws: (any Error).self) { try stack.context.save() }
    }
  }

  @Test(.only([.sqlite, .memorySQLite], "these stores contain their model"))
  func `A predicate that nests too deeply for a file is omitted from the store's model`() throws {
    let model = try Self.makeModel(depth: 10_000) { $0.isMultiple(of: 2) ? .and : .or }
    let scope = StoreScope.current
    let stack = try onSmallStack { try SampleStack(scope, model: model) }
    try Self.expectArchived(false, in: stack)
    stack.context.performAndWait {
      stack.context.insert("Player", ["name": "y"])
      #expect(throws: (any Error).self) { try stack.context.save() }
    }
    // Encoding a model cannot throw an error, so decoding the archive throws it.
    let archive = try onSmallStack {
      try NSKeyedArchiver.archivedData(withRootObject: model, requiringSecureCoding: true)
    }
    #expect(throws: (any Error).self) {
      try NSKeyedUnarchiver.unarchivedObject(ofClass: NSManagedObjectModel.self, from: archive)
    }
  }
}
