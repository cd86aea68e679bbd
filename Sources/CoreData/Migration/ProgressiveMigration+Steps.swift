extension ProgressiveMigration {
  /// What is done from one model to the next.
  package struct Step {
    /// The model before.
    package let source: NSManagedObjectModel
    /// The model afterwards.
    package let destination: NSManagedObjectModel
    /// The mapping model that is carried out; nil where the differences of the models decide.
    package let mapping: NSMappingModel?
  }

  /// The steps through models, each of which leads to the next.
  package func steps(through path: [NSManagedObjectModel]) throws -> [Step] {
    try zip(path, path.dropFirst()).map {
      Step(source: $0, destination: $1, mapping: try mappingModel($0, $1))
    }
  }

  /// Looks, before anything is written, for what is known to end one of the steps.
  ///
  /// Which rows a later step finds is known as long as the steps before it carry out no mapping models.
  ///
  /// - Parameter rows: gives the rows of the store's entities; asked for only where it counts.
  /// - Throws: `NSEntityMigrationPolicyError` for a policy class that is not there; `NSMigrationError` for rows of an
  ///   entity that both models have and that a mapping model says nothing of.
  package func requireFeasible(
    _ steps: [Step], of url: URL, rows: () throws -> [String: Int]
  ) throws {
    let lastMapped = steps.lastIndex { $0.mapping != nil } ?? -1
    // What each entity was called in the store; nil when mapping models have decided which rows there are.
    var origins: [String: String]? = Dictionary(
      (steps.first?.source.entities ?? []).compactMap { $0.name.map { ($0, $0) } },
      uniquingKeysWith: { first, _ in first })
    for (place, step) in steps.enumerated() where place <= lastMapped {
      guard let mapping = step.mapping else {
        origins = origins.map {
          Self.origins($0, ModelComparison(from: step.source, to: step.destination))
        }
        continue
      }
      do {
        try Self.requireFeasible(mapping, step, origins, url, rows)
      } catch {
        throw MigrationErrors.planned(place + 1, of: steps.count, error)
      }
      origins = nil
    }
  }

  private static func requireFeasible(
    _ mapping: NSMappingModel, _ step: Step, _ origins: [String: String]?, _ url: URL,
    _ rows: () throws -> [String: Int]
  ) throws {
    let mappings = mapping.entityMappings ?? []
    _ = try MigrationPolicyClasses.types(of: mappings, from: step.source, to: step.destination)
    guard let origins else { return }
    let names = LeftOutEntities(mappings, from: step.source, to: step.destination).names
    if names.isEmpty { return }
    let counts = try rows()
    let lost = names.map { (entity: $0, count: origins[$0].flatMap { counts[$0] } ?? 0) }
      .filter { $0.count > 0 }
    if !lost.isEmpty { throw MigrationErrors.leftOut(lost, url) }
  }
}
