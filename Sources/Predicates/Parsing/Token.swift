/// A word, sign or value of a format string, with its position.
struct Token: Equatable {
  enum Kind: Equatable {
    /// A key. `#size` is stored without its number sign.
    case identifier(String)
    case reserved(ReservedWord)
    /// A name with colons before an opening parenthesis, `add:to:`.
    case functionName(String)
    /// A name with colons in any other place, `isKindOfClass:`.
    case selector(String)
    /// An operator of key paths, `@count`.
    case keyPathOperator(String)
    case variable(String)
    case string(String)
    case integer(Int64)
    case unsigned(UInt64)
    case double(Double)
    case uuid(UUID)
    case argument(ArgumentKind)
    case sign(Sign)
    /// An error. No token follows.
    case invalid(InvalidPredicateError)
    case end
  }

  /// The type to which an argument is converted.
  enum ArgumentKind: Equatable {
    /// `%@`
    case object
    /// `%K`
    case keyPath
    /// `%d` and the other integer conversions.
    case integer
    /// `%c`
    case character
    /// `%p`
    case pointer
    /// `%f` and the other floating-point conversions.
    case double
    /// `%s`
    case string
  }

  /// Punctuation; the raw value is its usual spelling.
  enum Sign: String {
    case openParenthesis = "("
    case closeParenthesis = ")"
    case openBracket = "["
    case closeBracket = "]"
    case openBrace = "{"
    case closeBrace = "}"
    case comma = ","
    case dot = "."
    case equal = "=="
    case notEqual = "!="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
    case and = "&&"
    case or = "||"
    case not = "!"
    case plus = "+"
    case minus = "-"
    case times = "*"
    case divide = "/"
    case power = "**"
    case modulus = "%%"
    case bitAnd = "&"
    case bitOr = "|"
    case bitXor = "^"
    case shiftLeft = "<<"
    case shiftRight = ">>"
    case assign = ":="
  }

  let kind: Kind
  /// The position in Unicode scalars.
  let range: Range<Int>
}
