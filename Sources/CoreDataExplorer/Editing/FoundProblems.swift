import CoreData
import StoreInspection

/// The problems that edits and saves found in the unsaved changes.
///
/// A problem ends not only with an edit of its value, but also with an undo, for example. So the rules are checked again
/// whenever the problems are read.
///
/// Use it on the context's queue.
final class FoundProblems {
  /// The attributes and relationships that broke a rule.
  private var properties: [NSManagedObject: Set<String>] = [:]
  /// The violated uniqueness constraints, with the values of their properties.
  private var constraints: [(problem: EditProblem, values: [Any?])] = []

  /// Records that a value breaks a rule.
  ///
  /// - Parameter key: The property; for an element of a composite attribute, its key path.
  func note(_ key: String?, of object: NSManagedObject) {
    properties[object, default: []].insert(Self.property(key))
  }

  /// Records the problems of a failed save.
  func note(ofSave problems: [EditProblem]) {
    for problem in problems where problem.constraint.isEmpty {
      note(problem.key, of: problem.object)
    }
    constraints = problems.filter { !$0.constraint.isEmpty }.map { ($0, Self.values(of: $0)) }
  }

  /// Forgets all problems after a save or when all changes are discarded.
  func forget() {
    (properties, constraints) = ([:], [])
  }

  /// The problems that still exist. The values that violate a constraint are compared with those that the save had,
  /// because only a save checks constraints.
  var current: [EditProblem] {
    let broken = properties.flatMap { object, names in
      EditProblem.brokenRules(of: object).filter { names.contains(Self.property($0.key)) }
    }
    let violations = constraints.filter { problem, values in
      guard problem.object.managedObjectContext != nil, !problem.object.isDeleted else {
        return false
      }
      return zip(Self.values(of: problem), values).allSatisfy { EditBases.areEqual($0, $1) }
    }
    return broken + violations.map(\.problem)
  }

  /// Returns the attribute of a composite attribute's element. If the element that was set is valid, its attribute may
  /// still lack another one.
  private static func property(_ key: String?) -> String {
    key?.split(separator: ".").first.map(String.init) ?? ""
  }

  private static func values(of problem: EditProblem) -> [Any?] {
    problem.constraint.map { problem.object.value(forKeyPath: $0) }
  }
}
