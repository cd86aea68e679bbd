import SwiftSyntax

/// A cast that works only with Objective-C, where requests and controllers have no type arguments at run time, and an
/// untyped snapshot can be cast to a typed one. Without Objective-C, the program must convert the value instead.
struct UnportableCast {
  /// The expression that is cast.
  let operand: ExprSyntax
  /// The target type, which ends the cast.
  let type: TypeExprSyntax
  /// The code before and after the operand that replaces the cast; nil for casts that have to be rewritten by hand.
  let call: (head: String, tail: String)?
  /// The remark about the cast.
  let advice: String

  /// Operators with lower precedence than casts.
  private static let looser: Set<String> = [
    "??", "==", "!=", "===", "!==", "~=", "<", ">", "<=", ">=", "&&", "||", "+=", "-=",
  ]

  /// Returns the casts in an expression, without those in nested expressions.
  static func all(in sequence: SequenceExprSyntax) -> [UnportableCast] {
    let elements = Array(sequence.elements)
    return elements.indices.dropFirst().compactMap { index in
      guard let sign = elements[index].as(UnresolvedAsExprSyntax.self), index + 1 < elements.count,
        let type = elements[index + 1].as(TypeExprSyntax.self)
      else { return nil }
      return UnportableCast(
        elements[index - 1], sign.questionOrExclamationMark?.text ?? "", type,
        // `as` binds less tightly than arithmetic: in `a + b as! T`, the sum is cast and not `b`.
        isWhole: index == 1 || bindsLess(elements[index - 2]))
    }
  }

  private static func bindsLess(_ element: ExprSyntax) -> Bool {
    element.is(AssignmentExprSyntax.self) || element.is(UnresolvedTernaryExprSyntax.self)
      || element.as(BinaryOperatorExprSyntax.self).map { looser.contains($0.operator.text) } == true
  }

  /// - Parameter isWhole: Whether the cast applies to exactly this operand, and not to a longer expression that ends
  ///   with it.
  private init?(_ operand: ExprSyntax, _ mark: String, _ type: TypeExprSyntax, isWhole: Bool) {
    self.operand = operand
    self.type = type
    let text = type.trimmedDescription
    if mark.isEmpty, operand.is(PatternExprSyntax.self),
      ["NSFetchRequest", "NSFetchedResultsController"].contains(type.type.lastName)
    {
      advice =
        "this matches only an object that was created as \(text): use if let … = \(text)(casting: …)"
      call = nil
      return
    }
    let made = isWhole ? ("\(text)(casting: ", mark == "!" ? ")!" : ")") : nil
    switch type.type.lastName {
    case "NSFetchRequest" where !mark.isEmpty:
      advice = "Swift cannot cast a request to another type: use \(text)(casting: request)"
      call = made
    case "NSFetchedResultsController" where !mark.isEmpty:
      advice =
        "Swift cannot cast a controller to another type: use \(text)(casting: controller)"
      call = made
    case "NSDiffableDataSourceSnapshot":
      advice = "Swift cannot cast a snapshot to another type: use the initializer \(text)(snapshot)"
      call = isWhole ? ("\(text)(", ")") : nil
    default:
      guard !mark.isEmpty, let element = type.type.as(ArrayTypeSyntax.self)?.element,
        element.lastName == "NSFetchRequest"
      else { return nil }
      advice =
        "Swift cannot cast a request to another type:"
        + " use requests.map { \(element.trimmedDescription)(casting: $0)! }"
      call = nil
    }
  }
}
