extension NSManagedObjectModel {
  /// All problems of the model, errors and warnings.
  ///
  /// Problems with the names of entities, renaming identifiers, configurations and fetch requests come first. The other
  /// problems of each entity follow in the order of the model, each entity's before those of its own properties.
  ///
  /// Compared to Apple's Core Data: new. Apple's Core Data raises an exception for one error at a
  /// time when a coordinator is created, or later.
  ///
  /// In a model that was read from a compiled file or a store, problems that do not prevent reading its stores are
  /// warnings, because Apple's compiler accepted them.
  ///
  /// Cost: linear in the size of the model. Each property counts once for its entity and once for each ancestor of the
  /// entity.
  ///
  /// ```swift
  /// let name = NSAttributeDescription()
  /// name.name = "name"  // without a type
  /// let tag = NSEntityDescription()
  /// tag.name = "Tag"
  /// tag.properties = [name]
  /// let model = NSManagedObjectModel()
  /// model.entities = [tag]
  /// print(model.problems.map(\.subject))
  /// ```
  public final var problems: [ModelProblem] {
    var inspection = ModelInspection(self)
    for rule in Self.modelRules { rule.inspect(self, &inspection) }
    for entity in entities {
      for rule in Self.entityRules { rule.inspect(entity, &inspection) }
      for property in entity.ownProperties {
        for rule in Self.propertyRules { rule.inspect(property, of: entity, &inspection) }
      }
    }
    return inspection.problems
  }

  /// Validates the model, as a coordinator does before it uses it.
  ///
  /// - Throws: An `NSError` of `NSCocoaErrorDomain` with every error of ``problems``, without the
  ///   warnings. A single error has the code 134060; several have the code 1560 and are in the user info under
  ///   `NSDetailedErrorsKey`. Each description identifies the entity and property.
  ///
  /// ```swift
  /// do {
  ///   try model.validate()
  /// } catch {
  ///   print(error.localizedDescription)
  /// }
  /// ```
  public final func validate() throws {
    _ = try tolerated()
  }

  /// Validates the model, and returns the problems that are only warnings because the model was compiled.
  package final func tolerated() throws -> [ModelProblem] {
    let problems = problems
    let errors = problems.filter { $0.severity == .error }
    if let error = ModelProblem.combined(errors, preventing: .use) { throw error }
    return problems.filter { $0.severity == .warning && $0.kind.severity == .error }
  }

  /// Returns the reason why a store of the model can be read but must not be written; nil if it may be written.
  package static func reasonAgainstWriting(_ tolerated: [ModelProblem]) -> NSError? {
    ModelProblem.combined(tolerated.filter(\.kind.forbidsWriting), preventing: .writing)
  }

  private static var modelRules: [any ModelRule.Type] {
    [EntityNameRules.self, RenamingRules.self, ConfigurationRules.self, FetchRequestRules.self]
  }

  private static var entityRules: [any EntityRule.Type] {
    [
      HierarchyRules.self, BelongingRules.self, ConstraintRules.self, IndexRules.self,
      SpotlightRules.self,
    ]
  }

  private static var propertyRules: [any PropertyRule.Type] {
    [
      PropertyNameRules.self, RelationshipRules.self, AttributeRules.self, DefaultValueRules.self,
      ValueRangeRules.self, DerivedAttributeRules.self, CompositeRules.self,
      FetchedPropertyRules.self,
    ]
  }
}
