/// A problem in a model.
///
/// ``NSManagedObjectModel/problems`` returns all problems of a model.
///
/// A coordinator rejects a model with errors. In a model that was read from a store or a compiled file, most problems
/// are warnings, because such a model is already in use: see ``severity``.
///
/// ```swift
/// for problem in model.problems where problem.severity == .error {
///   print(problem.subject, problem.message)
/// }
/// ```
public struct ModelProblem: Hashable, Sendable {
  /// The severity of a problem.
  public enum Severity: String, Sendable, CaseIterable {
    /// The model can be used, but a part of it is probably not as intended.
    case warning
    /// The model cannot be used.
    case error
  }

  /// The kind of problem.
  public let kind: Kind
  /// The entity with the problem; nil if the problem concerns the model as a whole.
  public let entityName: String?
  /// The property with the problem; nil if the problem concerns the entity as a whole.
  public let propertyName: String?
  /// The description, as the end of a sentence that begins with ``subject``.
  public let message: String

  /// The severity, which depends on the kind. In a compiled model most problems are warnings, because stores of such
  /// models exist and can be read.
  public let severity: Severity

  /// Creates a problem.
  ///
  /// - Parameter severity: The severity; nil for the default of the kind.
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

  /// The part with the problem: `Person.age`, `Person`, or `the model`.
  public var subject: String {
    switch (entityName, propertyName) {
    case (let entity?, let property?): "\(entity).\(property)"
    case (let entity?, nil): entity
    default: "the model"
    }
  }
}

extension ModelProblem: CustomStringConvertible {
  /// The subject and the message: `Person.age: the default value "x" is not of the type Integer 16`.
  public var description: String { "\(subject): \(message)" }
}
