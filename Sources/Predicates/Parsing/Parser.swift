/// Parses a format string in one pass by operator precedence, consuming arguments along the way.
///
/// A predicate and an expression can begin with the same words and parentheses. So the same functions
/// read both and return a `Clause`, and their callers require one kind or the other.
struct Parser {
  /// The maximum nesting depth of calls, lists, subqueries and chains of operators, so that evaluation
  /// fits on a small stack.
  static let maximumDepth = 100

  /// The maximum nesting depth of operands, including those in parentheses and after NOT, to which `maximumDepth` does
  /// not apply. It exceeds the depth that printing adds to a parsed predicate.
  static let maximumRecursion = 500

  let format: String
  let text: [Unicode.Scalar]
  let tokens: [Token]
  var arguments: FormatArguments
  var index = 0
  var depth = 0
  var recursion = 0
  var isOnLargeStack = false
  /// Whether the text may contain FETCH. Only that of an expression may, because mapping models use FETCH.
  var allowsFetches = false

  /// A parsed part of the text, and the position of its first token.
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

  /// Parses a format string with its arguments into a predicate.
  static func predicate(_ format: String, arguments: [Any]) throws(InvalidPredicateError)
    -> NSPredicate
  {
    var parser = try Parser(format, arguments: arguments)
    let clause = try parser.clause(minimum: .or)
    try parser.expectEnd()
    return try parser.predicate(clause)
  }

  /// Parses a format string with its arguments into an expression.
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

  /// Consumes the current token and returns it.
  @discardableResult
  mutating func advance() -> Token {
    let token = tokens[index]
    // The parser stays at the last token, which is the end or an error.
    if index < tokens.count - 1 { index += 1 }
    return token
  }

  /// Consumes the current token if it is a certain sign.
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
      throw unexpected("expected an operator or the end (NOT precedes the condition it negates)")
    default: throw unexpected("expected an operator or the end")
    }
  }

  /// Returns the predicate of a clause; throws if it is an expression.
  func predicate(_ clause: Clause) throws(InvalidPredicateError) -> NSPredicate {
    switch clause.content {
    case .predicate(let predicate): return predicate
    case .expression(let expression):
      throw error(
        "expected a condition, found only the value \(ExpressionPrinter.text(of: expression))",
        at: clause.start)
    }
  }

  /// Returns the expression of a clause; throws if it is a predicate.
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

  /// Returns an error at the current token with the token's text.
  func unexpected(_ expectation: String) -> InvalidPredicateError {
    let token = current
    if case .invalid(let error) = token.kind { return error }
    let found =
      token.kind == .end ? "found the end of the text" : "found \"\(spelling(of: token))\""
    return error("\(expectation), \(found)", at: token.range.lowerBound)
  }

  /// Returns the text of a token as written.
  func spelling(of token: Token) -> String {
    String(String.UnicodeScalarView(text[token.range]))
  }

  /// Runs a recursive step, and limits the depth of recursion.
  mutating func nested<Result>(
    _ body: (inout Parser) throws(InvalidPredicateError) -> Result
  ) throws(InvalidPredicateError) -> Result {
    guard recursion < Self.maximumRecursion else { throw tooDeep }
    recursion += 1
    defer { recursion -= 1 }
    guard recursion >= LargeStack.safeHeight, !isOnLargeStack else { return try body(&self) }
    // The rest of the text may need more stack than a small thread has.
    var parser = self
    parser.isOnLargeStack = true
    let result: Swift.Result<Result, InvalidPredicateError> =
      // The stack has the maximum height, so that deeper steps fit on it and need no further thread.
      LargeStack.run(height: Self.maximumRecursion) {
        do throws(InvalidPredicateError) {
          return .success(try body(&parser))
        } catch {
          return .failure(error)
        }
      }
    self = parser
    // The copy ran on the other thread; this one has its small stack again.
    isOnLargeStack = false
    return try result.get()
  }

  /// Rejects a compound that would print with more parentheses than the parser can read.
  func checked(_ predicate: NSPredicate) throws(InvalidPredicateError) -> NSPredicate {
    let most = 2 * Self.maximumDepth
    // The height is stored, so only a high predicate pays for the walk.
    if predicate.height > most, Self.textHeight(of: predicate) > most { throw tooDeep }
    return predicate
  }

  /// Returns the height of a parsed predicate. An argument counts for at most the height that text can have: it may be
  /// a deep expression or a deeply nested value, which is not an error in the text.
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

  /// Adds levels to the depth of the text that is read next, and throws if it becomes too deep.
  mutating func deepen(by levels: Int = 1) throws(InvalidPredicateError) {
    guard depth + levels <= Self.maximumDepth else { throw tooDeep }
    depth += levels
  }
}
