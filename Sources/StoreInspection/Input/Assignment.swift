/// A value for a property, as given to `insert` and `update`: `key=value`.
package struct Assignment: Equatable, Sendable {
  /// The property's name.
  package var key: String
  /// The text of the value, whose meaning depends on the property's type. Nil for no value: `key=nil`.
  package var value: String?

  package init(key: String, value: String?) {
    self.key = key
    self.value = value
  }

  /// Parses `key=value`.
  ///
  /// The value is everything after the first equals sign, without quotes around it. `nil` means no value; to set the
  /// string "nil", quote it inside the shell's quotes: `"name='nil'"`. `key=` assigns the empty string.
  package static func parse(_ argument: String) throws(Diagnostic) -> Assignment {
    // Split at the first equals sign, because the value may contain equals signs too.
    guard let equals = argument.firstIndex(of: "=") else {
      throw Diagnostic(.usage, "'\(argument)' is not of the form key=value")
    }
    let key = argument[..<equals].trimmingBlanks()
    guard !key.isEmpty else {
      throw Diagnostic(.usage, "'\(argument)' has no key before its equals sign")
    }
    // Spaces around the key are removed, but those around the value belong to it.
    let text = argument[argument.index(after: equals)...]
    return Assignment(key: String(key), value: value(of: text))
  }

  /// Parses several assignments; assigning to one key twice is an error.
  package static func parse(_ arguments: [String]) throws(Diagnostic) -> [Assignment] {
    var seen: Set<String> = []
    var assignments: [Assignment] = []
    for argument in arguments {
      let assignment = try parse(argument)
      guard seen.insert(assignment.key).inserted else {
        throw Diagnostic(.usage, "'\(assignment.key)' is set twice")
      }
      assignments.append(assignment)
    }
    return assignments
  }

  private static func value(of text: Substring) -> String? {
    // In quotes, `nil` is text.
    if text == "nil" { return nil }
    if let quote = text.first, quote == "'" || quote == "\"", text.count >= 2, text.last == quote {
      return String(text.dropFirst().dropLast())
    }
    return String(text)
  }
}
