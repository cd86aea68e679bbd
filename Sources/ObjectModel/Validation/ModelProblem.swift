/// One thing that is wrong with a model, with its place.
///
/// ``NSManagedObjectModel/problems`` finds all there are at once.
///
/// A coordinator refuses a model with errors. In a model that was read from a store or a compiled file most problems
/// are warnings, because such a model is in use somewhere: see ``severity``.
public struct ModelProblem: Hashable, Sendable {
  /// How much a problem matters.
  public enum Severity: String, Sendable, CaseIterable {
    /// The model works, but something in it is probably not what was meant.
    case warning
    /// The model cannot be used.
    case error
  }

  /// What kind of problem it is.
  public let kind: Kind
  /// The entity with the problem; nil for one of the model as a whole.
  public let entityName: String?
  /// The property with the problem; nil for one of the entity as a whole.
  public let propertyName: String?
  /// What is wrong, as the end of a sentence that begins with ``subject``.
  public let message: String

  /// How much the problem matters. Its kind decides; in a model that a compiler wrote, rules of good models are
  /// warnings, because stores of such models exist and can be read.
  public let severity: Severity

  /// Makes a problem.
  ///
  /// - Parameter severity: how much it matters; nil for what its kind says.
  init(
    _ kind: Kind, entity: String?, property: String? = nil, _ message: String,
    severity: Severity? = nil
  ) {
    self.kind = kind
    self.severity = severity ?? kind.severity
    entityName = entity
    propertyName = property
    self.message = message
  }

  /// What has the problem: `Person.age`, `Person`, or `the model`.
  public var subject: String {
    switch (entityName, propertyName) {
    case (let entity?, let property?): "\(entity).\(property)"
    case (let entity?, nil): entity
    default: "the model"
    }
  }
}

extension ModelProblem: CustomStringConvertible {
  /// The place and what is wrong there: `Person.age: its default value "x" is not an Integer 16`.
  public var description: String { "\(subject): \(message)" }
}
