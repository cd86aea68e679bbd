/// The effect of deleting an object on the objects of a relationship.
public enum NSDeleteRule: UInt, Sendable, CaseIterable {
  /// None. The other objects keep references to the deleted object.
  case noActionDeleteRule = 0
  /// The other objects' references to the deleted object are removed.
  case nullifyDeleteRule = 1
  /// The other objects are deleted too.
  case cascadeDeleteRule = 2
  /// The object cannot be deleted while the relationship has objects.
  case denyDeleteRule = 3
}

extension NSDeleteRule {
  /// The name of the rule in model files.
  package var modelFileName: String {
    switch self {
    case .noActionDeleteRule: "No Action"
    case .nullifyDeleteRule: "Nullify"
    case .cascadeDeleteRule: "Cascade"
    case .denyDeleteRule: "Deny"
    }
  }

  /// Creates the rule with a name in model files; nil if the name is unknown.
  package init?(modelFileName: String) {
    guard let rule = Self.allCases.first(where: { $0.modelFileName == modelFileName }) else {
      return nil
    }
    self = rule
  }
}
