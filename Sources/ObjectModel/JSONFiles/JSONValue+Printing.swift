extension JSONValue {
  /// The value in a readable format. A short value is on one line; in a longer one, each member begins on a line that
  /// is indented by two spaces.
  var prettyText: String {
    var text = ""
    print(to: &text, indentation: 0, room: Self.lineLength)
    return text + "\n"
  }

  private static let lineLength = 100

  private var lineText: String {
    switch self {
    case .null: "null"
    case .truth(let truth): truth ? "true" : "false"
    case .number(let number): number
    case .text(let text): JSONText.quoted(text)
    case .list(let values): "[\(values.map(\.lineText).joined(separator: ", "))]"
    case .object([]): "{}"
    case .object(let members):
      "{ \(members.map { "\(JSONText.quoted($0.name)): \($0.value.lineText)" }.joined(separator: ", ")) }"
    }
  }

  /// Whether the value has too many members or too long a string for one line. Checking this avoids creating a long
  /// text that does not fit.
  private var isLarge: Bool {
    switch self {
    case .list(let values): values.count > 20 || values.contains(where: \.isLarge)
    case .object(let members): members.count > 12 || members.contains { $0.value.isLarge }
    case .text(let text): text.utf8.count > Self.lineLength
    case .null, .truth, .number: false
    }
  }

  private func print(to text: inout String, indentation: Int, room: Int) {
    if !isLarge {
      let line = lineText
      if line.count <= room {
        text += line
        return
      }
    }
    let inner = indentation + 2
    let start = "\n" + String(repeating: " ", count: inner)
    let end = "\n" + String(repeating: " ", count: indentation)
    switch self {
    case .list(let values):
      text += "["
      for (place, value) in values.enumerated() {
        text += (place == 0 ? "" : ",") + start
        // One column is for the comma.
        value.print(to: &text, indentation: inner, room: Self.lineLength - inner - 1)
      }
      text += end + "]"
    case .object(let members):
      text += "{"
      for (place, member) in members.enumerated() {
        let name = JSONText.quoted(member.name) + ": "
        text += (place == 0 ? "" : ",") + start + name
        member.value.print(
          to: &text, indentation: inner, room: Self.lineLength - inner - 1 - name.count)
      }
      text += end + "}"
    case .null, .truth, .number, .text: text += lineText
    }
  }
}
