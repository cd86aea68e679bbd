/// The expression of a derived attribute: a copy of another value, a function of one, or the time.
///
/// The model editor and the compiled model write the same expression in two ways; this knows both.
package enum DerivationExpression: Hashable, Sendable {
  /// The value at a key path, such as `chat.serverId`.
  case keyPath(String)
  /// A function of the values at key paths, such as `canonical:` of `name`.
  case function(String, arguments: [String])

  /// Reads either spelling: `pages.@count`, `count:(pages)`, `canonical:(name)`, `now()`, `name`.
  package init(text: String) {
    if let function = Self.operatorForm(text) ?? Self.functionForm(text) {
      self = function
    } else {
      self = .keyPath(text)
    }
  }

  /// The spelling of an expression's own text, which enters the version hash: `count:(pages)`.
  package var formatText: String {
    switch self {
    case .keyPath(let path): path
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

  /// Whether the expression is an operator over the objects of a relationship, such as `@count`.
  package var isOperator: Bool { editorText != formatText }

  private static let operators: [(name: String, function: String)] = [
    ("count", "count:"), ("sum", "sum:"), ("min", "min:"), ("max", "max:"), ("avg", "average:"),
  ]

  private static func operatorForm(_ text: String) -> Self? {
    guard let at = text.firstRange(of: ".@") else { return nil }
    let path = String(text[..<at.lowerBound])
    let rest = text[at.upperBound...].split(separator: ".", maxSplits: 1)
    guard let word = rest.first, let operation = operators.first(where: { $0.name == word }) else {
      return nil
    }
    // `pages.@sum.length` and `pages.length.@sum` both add up the lengths.
    let whole = rest.count > 1 ? "\(path).\(rest[1])" : path
    return .function(operation.function, arguments: [whole])
  }

  private static func functionForm(_ text: String) -> Self? {
    guard text.hasSuffix(")"), let open = text.firstIndex(of: "("), open > text.startIndex else {
      return nil
    }
    let name = String(text[..<open])
    guard name.allSatisfy({ $0.isLetter || $0.isNumber || $0 == ":" || $0 == "_" }) else {
      return nil
    }
    let inner = text[text.index(after: open)...].dropLast()
    let arguments = inner.split(separator: ",").map { argument in
      String(argument.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }
    return .function(name, arguments: arguments)
  }
}
