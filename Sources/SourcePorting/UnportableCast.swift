import SwiftSyntax

/// A cast that needs Objective-C: requests and controllers are of any type there, and a snapshot turns into one with
/// types. In Swift one is made of the other.
struct UnportableCast {
  /// What is cast.
  let operand: ExprSyntax
  /// The type, where the cast ends.
  let type: TypeExprSyntax
  /// What comes before and after the operand instead; nil for casts that somebody has to rewrite.
  let call: (head: String, tail: String)?
  /// What to do, and why.
  let advice: String

  /// Operators that bind less than casts do.
  private static let looser: Set<String> = [
    "??", "==", "!=", "===", "!==", "~=", "<", ">", "<=", ">=", "&&", "||", "+=", "-=",
  ]

  /// The casts of one expression, without those of the expressions in it.
  static func all(in sequence: SequenceExprSyntax) -> [UnportableCast] {
    let elements = Array(sequence.elements)
    return elements.indices.dropFirst().compactMap { index in
      guard let sign = elements[index].as(UnresolvedAsExprSyntax.self), index + 1 < elements.count,
        let type = elements[index + 1].as(TypeExprSyntax.self)
      else { return nil }
      return UnportableCast(
        elements[index - 1], sign.questionOrExclamationMark?.text ?? "", type,
        isWhole: index == 1 || bindsLess(elements[index - 2]))
    }
  }

  private static func bindsLess(_ element: ExprSyntax) -> Bool {
    element.is(AssignmentExprSyntax.self) || element.is(UnresolvedTernaryExprSyntax.self)
      || element.as(BinaryOperatorExprSyntax.self).map { looser.contains($0.operator.text) } == true
  }

  /// - Parameter isWhole: whether what stands before the cast is cast as it is.
  private init?(_ operand: ExprSyntax, _ mark: String, _ type: TypeExprSyntax, isWhole: Bool) {
    self.operand = operand
    self.type = type
    let text = type.trimmedDescription
    if mark.isEmpty, operand.is(PatternExprSyntax.self),
      ["NSFetchRequest", "NSFetchedResultsController"].contains(type.type.lastName)
    {
      advice = "nothing of another type matches this in Swift: if let … = \(text)(casting: …)"
      call = nil
      return
    }
    let made = isWhole ? ("\(text)(casting: ", mark == "!" ? ")!" : ")") : nil
    switch type.type.lastName {
    case "NSFetchRequest" where !mark.isEmpty:
      advice = "a request is no request of another type in Swift: \(text)(casting: request)"
      call = made
    case "NSFetchedResultsController" where !mark.isEmpty:
      advice =
        "a controller is no controller of another type in Swift: \(text)(casting: controller)"
      call = made
    case "NSDiffableDataSourceSnapshot":
      advice = "a snapshot gets its types by an initialiser: \(text)(snapshot)"
      call = isWhole ? ("\(text)(", ")") : nil
    default:
      guard !mark.isEmpty, let element = type.type.as(ArrayTypeSyntax.self)?.element,
        element.lastName == "NSFetchRequest"
      else { return nil }
      advice =
        "a request is no request of another type in Swift:"
        + " requests.map { \(element.trimmedDescription)(casting: $0)! }"
      call = nil
    }
  }
}
