/// A piece of SQL and the values of its parameters, in the order of their question marks.
///
/// Names that a model determines are quoted in the text. Values are parameters, except for those that a dialect writes
/// into the text itself: the constants of an indexed expression, and most constants of a condition with too many
/// parameters.
package struct SQLText {
  package private(set) var text = ""
  package private(set) var parameters: [StoredValue] = []

  package init(_ text: String = "") { self.text = text }

  /// Creates a piece from a string with a question mark for each parameter.
  package init(_ text: String, parameters: [StoredValue]) {
    self.text = text
    self.parameters = parameters
  }

  /// Creates a piece from another one between two strings.
  package init(_ before: String, _ inner: SQLText, _ after: String) {
    text = before + inner.text + after
    parameters = inner.parameters
  }

  /// Creates a piece from three strings with a piece between each two.
  package init(
    _ before: String, _ first: SQLText, _ between: String, _ second: SQLText, _ after: String
  ) {
    text = before + first.text + between + second.text + after
    parameters = first.parameters + second.parameters
  }

  /// Joins pieces with a separator between them.
  package init(_ pieces: some Sequence<SQLText>, separator: String) {
    append(pieces, separator: separator)
  }

  package static func += (left: inout SQLText, right: String) { left.text += right }

  package static func += (left: inout SQLText, right: SQLText) {
    left.text += right.text
    left.parameters += right.parameters
  }

  /// Appends a parameter.
  package mutating func bind(_ value: StoredValue) {
    text += "?"
    parameters.append(value)
  }

  /// Appends pieces with a separator between them.
  package mutating func append(_ pieces: some Sequence<SQLText>, separator: String) {
    for (index, piece) in pieces.enumerated() {
      if index > 0 { text += separator }
      self += piece
    }
  }

  /// Returns a quoted name.
  package static func name(_ name: String) -> String {
    "\"" + name.replacing(scalar: "\"", with: "\"\"") + "\""
  }
}
