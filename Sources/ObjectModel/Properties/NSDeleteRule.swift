/// What deleting an object does to the objects that a relationship leads to.
public enum NSDeleteRule: UInt, Sendable, CaseIterable {
  /// Nothing; the other side keeps a reference to an object that is gone.
  case noActionDeleteRule = 0
  /// The other side forgets the object.
  case nullifyDeleteRule = 1
  /// The objects at the other side are deleted too.
  case cascadeDeleteRule = 2
  /// The object cannot be deleted while the relationship leads anywhere.
  case denyDeleteRule = 3
}

extension NSDeleteRule {
  /// The spelling of the rule in model files.
  package var modelFileName: String {
    switch self {
    case .noActionDeleteRule: "No Action"
    case .nullifyDeleteRule: "Nullify"
    case .cascadeDeleteRule: "Cascade"
    case .denyDeleteRule: "Deny"
    }
  }

  /// The rule with a model file's spelling, or nil.
  package init?(modelFileName: String) {
    guard let rule = Self.allCases.first(where: { $0.modelFileName == modelFileName }) else {
      return nil
    }
    self = rule
  }
}
