/// Reads a format string: one pass, by precedence, taking arguments as it goes.
///
/// A predicate and an expression can begin with the same words and parentheses, so both are read
/// by the same functions as a `Clause`, and whoever needs one of the two says so.
struct Parser {
  /// Calls, lists, subqueries and chains of operators may nest this deep: as deep as evaluation
  /// on a small stack can follow.
  static let maximumDepth = 100

  /// Parentheses may nest this deep: more than what is allowed above prints with.
  static let maximumRecursion = 500

  let format: String
  let text: [Unicode.Scalar]
  let tokens: [Token]
  var arguments: FormatArguments
  var index = 0
  var depth = 0
  var recursion = 0
  var isOnLargeStack = false
  /// Whether fetches may be parts: not in predicates, which stores could not carry out.
  var allowsFetches = false

  /// What was read, and the place of its first token.
  struct Clause {
    enum Content {
      case expression(NSExpression)
      case predicate(NSPredicate)
    }
    let content: Content
    let start: Int
  }

  init(_ format: String, arguments: [Any]) throws(InvalidPredicateError) {
    self.format = format
    (tokens, text) = try Lexer.tokens(of: format)
    self.arguments = FormatArguments(arguments)
  }

  /// The predicate that a format string and its arguments stand for.
  static func predicate(_ format: String, arguments: [Any]) throws(InvalidPredicateError)
    -> NSPredicate
  {
    var parser = try Parser(format, arguments: arguments)
    let clause = try parser.clause(minimum: .or)
    try parser.expectEnd()
    return try parser.predicate(clause)
  }

  /// The expression that a format string and its arguments stand for.
  static func expression(
    _ format: String, arguments: [Any]
  ) throws(InvalidPredicateError) -> NSExpression {
    var parser = try Parser(format, arguments: arguments)
    parser.allowsFetches = true
    let clause = try parser.clause(minimum: .or)
    try parser.expectEnd()
    return try parser.expression(clause)
  }

  var current: Token { tokens[index] }

  /// Takes the current token.
  @discardableResult
  mutating func advance() -> Token {
    let token = tokens[index]
    if index < tokens.count - 1 { index += 1 }
    return token
  }

  /// Takes a sign if it comes next.
  mutating func accept(_ sign: Token.Sign) -> Bool {
    guard current.kind == .sign(sign) else { return false }
    advance()
    return true
  }

  mutating func expect(_ sign: Token.Sign, _ purpose: String) throws(InvalidPredicateError) {
    guard accept(sign) else {
      throw unexpected("expected \"\(sign.rawValue)\" \(purpose)")
    }
  }

  private func expectEnd() throws(InvalidPredicateError) {
    switch current.kind {
    case .end: return
    case .sign(.assign):
      throw error("a predicate cannot assign to a variable", at: current.range.lowerBound)
    case .reserved(.not):
      throw unexpected("expected an operator or the end (NOT goes before what it reverses)")
    default: throw unexpected("expected an operator or the end")
    }
  }

  /// A clause that must be a predicate.
  func predicate(_ clause: Clause) throws(InvalidPredicateError) -> NSPredicate {
    switch clause.content {
    case .predicate(let predicate): return predicate
    case .expression(let expression):
      throw error(
        "expected a condition, found only the value \(ExpressionPrinter.text(of: expression))",
        at: clause.start)
    }
  }

  /// A clause that must be an expression.
  func expression(_ clause: Clause) throws(InvalidPredicateError) -> NSExpression {
    switch clause.content {
    case .expression(let expression): return expression
    case .predicate(let predicate):
      throw error(
        "expected a value, found the condition \(PredicatePrinter.text(of: predicate))",
        at: clause.start)
    }
  }

  func error(_ message: String, at scalarOffset: Int) -> InvalidPredicateError {
    InvalidPredicateError(
      message, format: format,
      position: Lexer.characterOffset(of: scalarOffset, in: format))
  }

  /// An error at the current token, which it names.
  func unexpected(_ expectation: String) -> InvalidPredicateError {
    let token = current
    if case .invalid(let error) = token.kind { return error }
    let found =
      token.kind == .end ? "found the end of the text" : "found \"\(spelling(of: token))\""
    return error("\(expectation), \(found)", at: token.range.lowerBound)
  }

  /// A token as it stands in the text.
  func spelling(of token: Token) -> String {
    String(String.UnicodeScalarView(text[token.range]))
  }

  /// Runs a step of the recursion, whatever it counts for the depth.
  mutating func nested<Result>(
    _ body: (inout Parser) throws(InvalidPredicateError) -> Result
  ) throws(InvalidPredicateError) -> Result {
    guard recursion < Self.maximumRecursion else { throw tooDeep }
    recursion += 1
    defer { recursion -= 1 }
    guard recursion >= LargeStack.safeHeight, !isOnLargeStack else { return try body(&self) }
    // The rest of the text needs more stack than a small thread has.
    var parser = self
    parser.isOnLargeStack = true
    let result: Swift.Result<Result, InvalidPredicateError> =
      LargeStack.run(height: Self.maximumRecursion) {
        do throws(InvalidPredicateError) {
          return .success(try body(&parser))
        } catch {
          return .failure(error)
        }
      }
    self = parser
    isOnLargeStack = false
    return try result.get()
  }

  /// Refuses a compound that would print with more parentheses than can be read again.
  func checked(_ predicate: NSPredicate) throws(InvalidPredicateError) -> NSPredicate {
    let most = 2 * Self.maximumDepth
    if predicate.height > most, Self.textHeight(of: predicate) > most { throw tooDeep }
    return predicate
  }

  /// The levels of a predicate of a text. No text is the reason for more than a text may have: an argument may be a
  /// high expression, or a value nested deep.
  private static func textHeight(of predicate: NSPredicate) -> Int {
    var height = 0
    var depth = 0
    var level = [predicate]
    while !level.isEmpty {
      var next: [NSPredicate] = []
      for part in level {
        if case .compound(_, let parts) = part.shape {
          next += parts
        } else {
          height = max(height, depth + min(part.height, maximumDepth + 1))
        }
      }
      depth += 1
      level = next
    }
    return max(height, depth)
  }

  private var tooDeep: InvalidPredicateError {
    error("the text nests too deeply", at: current.range.lowerBound)
  }

  /// Counts more levels, which what is read next takes when it is evaluated.
  mutating func deepen(by levels: Int = 1) throws(InvalidPredicateError) {
    guard depth + levels <= Self.maximumDepth else { throw tooDeep }
    depth += levels
  }
}
