/// One walk through a model: what rules look up, and the problems that they found.
///
/// A rule is a small type that checks the model, an entity or a property (``ModelRule``, ``EntityRule``,
/// ``PropertyRule``) and reports to the inspection. All rules share one inspection, so what several of them look up
/// is collected once.
struct ModelInspection {
  let model: NSManagedObjectModel
  /// The model's entities, by identity: names may be missing or repeated.
  let members: Set<ObjectIdentifier>
  let entitiesByName: [String: NSEntityDescription]
  private(set) var problems: [ModelProblem] = []
  private var inherited: [ObjectIdentifier: [String: NSPropertyDescription]] = [:]
  private var declared: [ObjectIdentifier: DeclaredNames] = [:]
  private var ancestors: [ObjectIdentifier: [NSEntityDescription]] = [:]
  /// Entities that are known to have a root above them.
  var entitiesBelowRoots: Set<ObjectIdentifier> = []
  /// How many names may still be compared for suggestions. A model of a user's can have any number of unknown names
  /// beside any number of known ones.
  private var comparisons = 100_000

  init(_ model: NSManagedObjectModel) {
    self.model = model
    members = Set(model.entities.map(ObjectIdentifier.init))
    entitiesByName = model.entitiesByName
  }

  func contains(_ entity: NSEntityDescription) -> Bool {
    members.contains(ObjectIdentifier(entity))
  }

  /// The properties of an entity by name, inherited ones included; worked out once.
  mutating func properties(of entity: NSEntityDescription) -> [String: NSPropertyDescription] {
    if let known = inherited[ObjectIdentifier(entity)] { return known }
    let found = entity.propertiesByName
    inherited[ObjectIdentifier(entity)] = found
    return found
  }

  /// The names of the properties that an entity declares itself; collected once.
  mutating func declaredNames(of entity: NSEntityDescription) -> DeclaredNames {
    if let known = declared[ObjectIdentifier(entity)] { return known }
    let found = DeclaredNames(of: entity)
    declared[ObjectIdentifier(entity)] = found
    return found
  }

  /// The entities above an entity, from the root down; found once.
  mutating func ancestors(of entity: NSEntityDescription) -> [NSEntityDescription] {
    if let known = ancestors[ObjectIdentifier(entity)] { return known }
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

  /// The name of an entity as messages show it.
  static func name(of entity: NSEntityDescription?) -> String { shown(entity?.name ?? "") }

  /// A name, or words that stand for one that is missing.
  static func shown(_ name: String) -> String { name.isEmpty ? "(no name)" : name }

  /// "'nme' (did you mean 'name'?)", without the question where that would take long.
  mutating func quoted(_ name: String, among names: some Collection<String>) -> String {
    comparisons -= names.count
    if comparisons < 0 { return "'\(name)'" }
    let nearest = NearestName.nearest(to: name, among: names.sorted { $0.isBefore($1) })
    return "'\(name)'" + (nearest.map { " (did you mean '\($0)'?)" } ?? "")
  }

  /// What is wrong with the entity of a fetch request; nil for one of the model.
  mutating func fault(inEntityOf template: FetchRequestTemplate) -> String? {
    if entitiesByName[template.entityName] != nil { return nil }
    if template.entityName.isEmpty { return "has no entity" }
    return "fetches the unknown entity"
      + " \(quoted(template.entityName, among: entitiesByName.keys))"
  }

  /// Why a text is no predicate; nil for one that is, and for none.
  static func fault(inPredicate text: String?) -> String? {
    guard let text else { return nil }
    do {
      _ = try NSPredicate(validating: text)
      return nil
    } catch {
      return "the predicate '\(text)' cannot be read: \(error.localizedDescription)"
    }
  }

  /// Why the predicate of a fetch request cannot be read; nil for none, and for one that is no text.
  static func fault(in predicate: TemplatePredicate?) -> String? {
    guard case .format(let text)? = predicate else { return nil }
    return fault(inPredicate: text)
  }

  /// Why a text is no expression; nil for one that is, and for none.
  static func fault(inExpression text: String?) -> String? {
    guard let text else { return nil }
    do {
      _ = try NSExpression(validating: text)
      return nil
    } catch {
      return "the expression '\(text)' cannot be read: \(error.localizedDescription)"
    }
  }
}

/// Looks at the model as a whole.
protocol ModelRule {
  static func inspect(_ model: NSManagedObjectModel, _ inspection: inout ModelInspection)
}

/// Looks at one entity.
protocol EntityRule {
  static func inspect(_ entity: NSEntityDescription, _ inspection: inout ModelInspection)
}

/// Looks at one property where it is declared.
protocol PropertyRule {
  static func inspect(
    _ property: NSPropertyDescription, of entity: NSEntityDescription,
    _ inspection: inout ModelInspection)
}
