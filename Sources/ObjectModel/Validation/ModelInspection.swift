/// The state of one inspection of a model: data that rules look up, and the problems they report.
///
/// A rule is a small type that checks the model, an entity or a property (``ModelRule``, ``EntityRule``,
/// ``PropertyRule``) and reports to the inspection. All rules share one inspection, so data that several of them need
/// is collected once.
struct ModelInspection {
  let model: NSManagedObjectModel
  /// The identities of the model's entities, because their names may be missing or duplicate.
  let members: Set<ObjectIdentifier>
  let entitiesByName: [String: NSEntityDescription]
  private(set) var problems: [ModelProblem] = []
  private var inherited: [ObjectIdentifier: [String: NSPropertyDescription]] = [:]
  private var declared: [ObjectIdentifier: DeclaredNames] = [:]
  private var ancestors: [ObjectIdentifier: [NSEntityDescription]] = [:]
  /// The entities whose chain of parents is known to end at a root, and not to be circular.
  var entitiesBelowRoots: Set<ObjectIdentifier> = []
  /// The number of names that may still be compared for suggestions. It is limited, because each unknown name in a
  /// model is compared with all known ones.
  private var comparisons = 100_000

  init(_ model: NSManagedObjectModel) {
    self.model = model
    members = Set(model.entities.map(ObjectIdentifier.init))
    entitiesByName = model.entitiesByName
  }

  func contains(_ entity: NSEntityDescription) -> Bool {
    members.contains(ObjectIdentifier(entity))
  }

  /// Returns the properties of an entity by name, including inherited ones. Computed once.
  mutating func properties(of entity: NSEntityDescription) -> [String: NSPropertyDescription] {
    if let known = inherited[ObjectIdentifier(entity)] { return known }
    let found = entity.propertiesByName
    inherited[ObjectIdentifier(entity)] = found
    return found
  }

  /// Returns the positions of the properties that an entity declares, by name. Computed once.
  mutating func declaredNames(of entity: NSEntityDescription) -> DeclaredNames {
    if let known = declared[ObjectIdentifier(entity)] { return known }
    let found = DeclaredNames(of: entity)
    declared[ObjectIdentifier(entity)] = found
    return found
  }

  /// Returns the ancestors of an entity, from the root down. Computed once.
  mutating func ancestors(of entity: NSEntityDescription) -> [NSEntityDescription] {
    if let known = ancestors[ObjectIdentifier(entity)] { return known }
    // In a circular hierarchy, the entity is also its own ancestor.
    let found = entity.lineage.dropLast().filter { $0 !== entity }
    ancestors[ObjectIdentifier(entity)] = found
    return found
  }

  private func severity(_ kind: ModelProblem.Kind) -> ModelProblem.Severity {
    model.isCompiled ? kind.severityInCompiledModels : kind.severity
  }

  mutating func report(_ kind: ModelProblem.Kind, _ message: String) {
    problems.append(ModelProblem(kind, entity: nil, message, severity: severity(kind)))
  }

  mutating func report(
    _ kind: ModelProblem.Kind, _ entity: NSEntityDescription, _ message: String
  ) {
    problems.append(
      ModelProblem(kind, entity: Self.name(of: entity), message, severity: severity(kind)))
  }

  mutating func report(
    _ kind: ModelProblem.Kind, _ entity: NSEntityDescription, _ property: NSPropertyDescription,
    _ message: String
  ) {
    problems.append(
      ModelProblem(
        kind, entity: Self.name(of: entity), property: Self.shown(property.name), message,
        severity: severity(kind)))
  }

  /// Returns the name of an entity for messages.
  static func name(of entity: NSEntityDescription?) -> String { shown(entity?.name ?? "") }

  /// Returns a name, or a placeholder for a missing one.
  static func shown(_ name: String) -> String { name.isEmpty ? "(no name)" : name }

  /// Returns "'nme' (did you mean 'name'?)". Omits the question if no name is near, or if finding it would take too
  /// long.
  mutating func quoted(_ name: String, among names: some Collection<String>) -> String {
    // Count the names even if the question is omitted, so that the total is bounded for any model.
    comparisons -= names.count
    if comparisons < 0 { return "'\(name)'" }
    let nearest = NearestName.nearest(to: name, among: names.sorted { $0.isBefore($1) })
    return "'\(name)'" + (nearest.map { " (did you mean '\($0)'?)" } ?? "")
  }

  /// Describes the defect of a fetch request's entity; nil if the entity is in the model.
  mutating func defect(inEntityOf template: FetchRequestTemplate) -> String? {
    if entitiesByName[template.entityName] != nil { return nil }
    if template.entityName.isEmpty { return "has no entity" }
    return "fetches the unknown entity"
      + " \(quoted(template.entityName, among: entitiesByName.keys))"
  }

  /// Describes why a string is not a valid predicate; nil if the string is valid or nil.
  static func defect(inPredicate text: String?) -> String? {
    guard let text else { return nil }
    do {
      _ = try NSPredicate(validating: text)
      return nil
    } catch {
      return "the predicate '\(text)' cannot be read: \(error.localizedDescription)"
    }
  }

  /// Describes why the predicate of a fetch request is invalid; nil if it is valid, not a string, or nil.
  static func defect(in predicate: TemplatePredicate?) -> String? {
    guard case .format(let text)? = predicate else { return nil }
    return defect(inPredicate: text)
  }

  /// Describes why a string is not a valid expression; nil if the string is valid or nil.
  static func defect(inExpression text: String?) -> String? {
    guard let text else { return nil }
    do {
      _ = try NSExpression(validating: text)
      return nil
    } catch {
      return "the expression '\(text)' cannot be read: \(error.localizedDescription)"
    }
  }
}

/// A rule that inspects the model as a whole.
protocol ModelRule {
  static func inspect(_ model: NSManagedObjectModel, _ inspection: inout ModelInspection)
}

/// A rule that inspects one entity.
protocol EntityRule {
  static func inspect(_ entity: NSEntityDescription, _ inspection: inout ModelInspection)
}

/// A rule that inspects one property of the entity that declares it.
protocol PropertyRule {
  static func inspect(
    _ property: NSPropertyDescription, of entity: NSEntityDescription,
    _ inspection: inout ModelInspection)
}
