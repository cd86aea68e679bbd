extension ProgressiveMigration {
  /// A migration from one model to the next.
  package struct Step {
    /// The model before the step.
    package let source: NSManagedObjectModel
    /// The model after the step.
    package let destination: NSManagedObjectModel
    /// The mapping model of the step; nil if the step follows from the differences between the models.
    package let mapping: NSMappingModel?
  }

  /// Returns the steps along a path of models: one from each model to the next.
  package func steps(through path: [NSManagedObjectModel]) throws -> [Step] {
    try zip(path, path.dropFirst()).map {
      Step(source: $0, destination: $1, mapping: try mappingModel($0, $1))
    }
  }

  /// Checks, before anything is written, for reasons why a step would fail.
  ///
  /// The rows that a step finds can be predicted only up to the first step with a mapping model.
  ///
  /// - Parameter rows: Returns the number of rows of the store's entities. Called only if it is needed.
  /// - Throws: `NSEntityMigrationPolicyError` for a missing policy class; `NSMigrationError` for rows of an entity
  ///   that both models contain and for which a mapping model has no mapping.
  package func requireFeasible(
    _ steps: [Step], of url: URL, rows: () throws -> [String: Int]
  ) throws {
    let lastMapped = steps.lastIndex { $0.mapping != nil } ?? -1
    // The entity names in the store, by the names in the source model of the step; nil after a step with a mapping
    // model, because the rows then depend on it.
    var origins: [String: String]? = Dictionary(
      (steps.first?.source.entities ?? []).compactMap { $0.name.map { ($0, $0) } },
      uniquingKeysWith: { first, _ in first })
    // Only a step with a mapping model can fail for these reasons.
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
