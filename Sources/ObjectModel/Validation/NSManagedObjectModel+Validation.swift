extension NSManagedObjectModel {
  /// Everything that is wrong with the model, errors and warnings.
  ///
  /// Problems of the model as a whole come first, then those of each entity in the order of the
  /// model, each entity's before those of its own properties.
  ///
  /// Compared to Apple's Core Data: new. There a mistake in a model shows as an exception when a
  /// coordinator is made, one at a time, or later.
  ///
  /// In a model that was read from a compiled file or a store, what does not keep its stores from being read is
  /// a warning: Apple's compiler accepted it.
  ///
  /// Cost: linear in the size of the model.
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

  /// Checks the model as a coordinator does before it uses it.
  ///
  /// - Throws: An `NSError` of `NSCocoaErrorDomain` with every error of ``problems``; warnings do not
  ///   count. A single error has the code 134060; several have the code 1560 and are found under
  ///   `NSDetailedErrorsKey`. Descriptions name entity and property.
  public final func validate() throws {
    _ = try tolerated()
  }

  /// Checks the model, and returns the problems of one that a compiler wrote for which another model would be
  /// refused.
  package final func tolerated() throws -> [ModelProblem] {
    let problems = problems
    if let error = ModelProblem.combined(problems.filter { $0.severity == .error }) { throw error }
    return problems.filter { $0.severity == .warning && $0.kind.severity == .error }
  }

  /// Why a store of the model must not be written, though it can be read; nil where it may be.
  package static func reasonAgainstWriting(_ tolerated: [ModelProblem]) -> NSError? {
    ModelProblem.combined(tolerated.filter(\.kind.forbidsWriting))
  }

  private static var modelRules: [any ModelRule.Type] {
    [EntityNameRules.self, RenamingRules.self, ConfigurationRules.self, FetchRequestRules.self]
  }

  private static var entityRules: [any EntityRule.Type] {
    [HierarchyRules.self, BelongingRules.self, ConstraintRules.self, IndexRules.self]
  }

  private static var propertyRules: [any PropertyRule.Type] {
    [
      PropertyNameRules.self, RelationshipRules.self, AttributeRules.self, DefaultValueRules.self,
      ValueRangeRules.self, DerivedAttributeRules.self, CompositeRules.self,
      FetchedPropertyRules.self,
    ]
  }
}
