extension Parser {
  /// Reads an operator and its right side.
  mutating func comparison(
    left: Clause, modifier: NSComparisonPredicate.Modifier
  ) throws(InvalidPredicateError) -> Clause {
    let leftExpression = try expression(left)
    if let name = selectorOperator {
      let token = advance()
      guard modifier == .direct else {
        throw error(
          "a selector as operator cannot be combined with ANY or ALL",
          at: token.range.lowerBound)
      }
      let right = try expression(clause(minimum: .set))
      return Clause(
        content: .predicate(
          NSComparisonPredicate(
            leftExpression: leftExpression, rightExpression: right,
            customSelector: Selector(name))),
        start: left.start)
    }
    let type = try comparisonOperator()
    let options = try comparisonOptions()
    let right = try expression(clause(minimum: .set))
    return Clause(
      content: .predicate(
        NSComparisonPredicate(
          leftExpression: leftExpression, rightExpression: right, modifier: modifier, type: type,
          options: options)),
      start: left.start)
  }

  /// The name of a method that is used as an operator, such as `isKindOfClass:`. A parenthesis after it belongs to the
  /// right side.
  private var selectorOperator: String? {
    switch current.kind {
    case .selector(let name), .functionName(let name): name
    default: nil
    }
  }

  /// Reads `ANY kids.age > 3` and similar comparisons; NONE becomes NOT ANY.
  mutating func quantified(_ word: ReservedWord) throws(InvalidPredicateError) -> Clause {
    let token = advance()
    let start = token.range.lowerBound
    // Without this check, a key called `any` or `all` would lead to a message about the sign after
    // it.
    if case .sign(let sign) = current.kind, ![.openParenthesis, .openBrace, .minus].contains(sign) {
      throw unexpected(
        "expected a value (write a key of that name as #\(spelling(of: token)))")
    }
    let left = try clause(minimum: .set)
    guard case .comparison? = infix?.operation else {
      throw unexpected("expected a comparison after \(word.rawValue)")
    }
    let clause = try comparison(left: left, modifier: word == .all ? .all : .any)
    let made = try predicate(clause)
    let result =
      word == .none ? NSCompoundPredicate(notPredicateWithSubpredicate: made) : made
    return Clause(content: .predicate(result), start: start)
  }

  private mutating func comparisonOperator() throws(InvalidPredicateError)
    -> NSComparisonPredicate.Operator
  {
    let type: NSComparisonPredicate.Operator
    switch current.kind {
    case .sign(.equal): type = .equalTo
    case .sign(.notEqual): type = .notEqualTo
    case .sign(.less): type = .lessThan
    case .sign(.lessOrEqual): type = .lessThanOrEqualTo
    case .sign(.greater): type = .greaterThan
    case .sign(.greaterOrEqual): type = .greaterThanOrEqualTo
    case .reserved(.in): type = .in
    case .reserved(.like): type = .like
    case .reserved(.matches): type = .matches
    case .reserved(.contains): type = .contains
    case .reserved(.beginsWith): type = .beginsWith
    case .reserved(.endsWith): type = .endsWith
    case .reserved(.between): type = .between
    // The parser knows these operators only to report why they are unavailable.
    case .reserved(.utiConformsTo), .reserved(.utiEquals):
      throw error(
        "\(spelling(of: current)) compares uniform type identifiers, which exist only on Apple's platforms",
        at: current.range.lowerBound)
    default: throw unexpected("expected a comparison")
    }
    advance()
    return type
  }

  /// Reads the options in brackets after an operator, `[cd]`.
  private mutating func comparisonOptions() throws(InvalidPredicateError)
    -> NSComparisonPredicate.Options
  {
    guard accept(.openBracket) else { return [] }
    var options: NSComparisonPredicate.Options = []
    let token = advance()
    for letter in spelling(of: token).lowercased() {
      switch letter {
      case "c": options.insert(.caseInsensitive)
      case "d": options.insert(.diacriticInsensitive)
      case "n": options.insert(.normalized)
      case "l": options.insert(.localeSensitive)
      default:
        throw error(
          "\"\(letter)\" is not a comparison option: use c, d, n or l",
          at: token.range.lowerBound)
      }
    }
    try expect(.closeBracket, "after the options of a comparison")
    return options
  }
}
