/// The expression of a derived attribute: a key path, a function of a key path, the current time, or any other
/// expression.
///
/// The model editor and the compiled model spell the same expression differently; this type handles both.
package enum DerivationExpression: Hashable, Sendable {
  /// The value at a key path, such as `chat.serverId`.
  case keyPath(String)
  /// An operator or text function applied to a key path, such as `canonical:(name)`; or `now` without arguments.
  case function(String, arguments: [String])
  /// Any other expression, in the form that `NSExpression.description` returns: `price * 2` for
  /// `multiply:by:(price, 2)`. The text of an invalid expression is unchanged.
  case other(String)

  /// Parses either spelling: `pages.@count`, `count:(pages)`, `canonical:(name)`, `now()`, `name`.
  package init(text: String) {
    if let form = Self.form(text) {
      self = form
      return
    }
    let normal = (try? NSExpression(validating: text))?.description ?? text
    // Try again, because the description may have one of the forms although the text does not.
    self = Self.form(normal) ?? .other(normal)
  }

  private static func form(_ text: String) -> Self? {
    // Try the operator first, because `isPath` also accepts `pages.@count`.
    operatorForm(text) ?? functionForm(text) ?? (isPath(text) ? .keyPath(text) : nil)
  }

  /// The spelling in the predicate language, which the version hash includes: `count:(pages)`.
  package var formatText: String {
    switch self {
    case .keyPath(let text), .other(let text): text
    case .function(let name, let arguments):
      "\(name)(\(arguments.joined(separator: ", ")))"
    }
  }

  /// The spelling of the model editor: `pages.@count`.
  package var editorText: String {
    guard case .function(let name, let arguments) = self, arguments.count == 1,
      let operation = Self.operators.first(where: { $0.function == name })
    else { return formatText }
    return "\(arguments[0]).@\(operation.name)"
  }

  /// The path to the string that the expression normalizes: `name` in `lowercase:(name)`; nil for any other expression.
  package var formedText: String? {
    guard case .function(let name, let arguments) = self, Self.textForms.contains(name) else {
      return nil
    }
    return arguments.first
  }

  /// Whether the expression is an operator over the objects of a relationship, such as `@count`.
  package var isOperator: Bool { editorText != formatText }

  private static let operators: [(name: String, function: String)] = [
    ("count", "count:"), ("sum", "sum:"), ("min", "min:"), ("max", "max:"), ("avg", "average:"),
  ]

  private static let textForms: Set<String> = ["canonical:", "uppercase:", "lowercase:"]

  /// Returns whether a string consists only of the names and dots of a key path.
  private static func isPath(_ text: some StringProtocol) -> Bool {
    !text.contains { $0.isWhitespace || "()[]{}+-*/%,:;'\"$=<>!&|~^?\\".contains($0) }
  }

  private static func operatorForm(_ text: String) -> Self? {
    guard isPath(text), let at = text.firstRange(of: ".@") else { return nil }
    let path = String(text[..<at.lowerBound])
    let rest = text[at.upperBound...].split(separator: ".", maxSplits: 1)
    guard let word = rest.first, let operation = operators.first(where: { $0.name == word }) else {
      return nil
    }
    // `pages.@sum.length` and `pages.length.@sum` are equivalent.
    let whole = rest.count > 1 ? "\(path).\(rest[1])" : path
    return .function(operation.function, arguments: [whole])
  }

  private static func functionForm(_ text: String) -> Self? {
    guard text.hasSuffix(")"), let open = text.firstIndex(of: "("), open > text.startIndex else {
      return nil
    }
    let name = String(text[..<open])
    let inner = text[text.index(after: open)...].dropLast()
    let argument = String(
      inner.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    if name == "now" { return argument.isEmpty ? .function(name, arguments: []) : nil }
    guard textForms.contains(name) || operators.contains(where: { $0.function == name }),
      NameSpelling.beginsWell(argument), isPath(argument)
    else { return nil }
    return .function(name, arguments: [argument])
  }
}
