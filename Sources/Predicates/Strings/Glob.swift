/// A pattern of LIKE: `*` stands for any number of characters, `?` for exactly one, a backslash
/// takes the meaning from the next character.
///
/// A character is a Unicode code point. Matching takes no memory and, at worst, the product of
/// both lengths in steps.
struct Glob: Sendable {
  private enum Element: Sendable {
    case any
    case one
    case literal(Unicode.Scalar)
  }

  private let elements: [Element]

  init(_ pattern: String) {
    var elements: [Element] = []
    var isEscaped = false
    for scalar in pattern.unicodeScalars {
      if isEscaped {
        elements.append(.literal(scalar))
        isEscaped = false
        continue
      }
      switch scalar {
      case "\\": isEscaped = true
      case "?": elements.append(.one)
      case "*":
        if case .any? = elements.last { continue }
        elements.append(.any)
      default: elements.append(.literal(scalar))
      }
    }
    if isEscaped { elements.append(.literal("\\")) }
    self.elements = elements
  }

  /// Whether the whole string matches.
  func matches(_ text: String) -> Bool {
    let scalars = text.unicodeScalars
    var position = scalars.startIndex
    var index = 0
    // Where to go on when the rest fails: behind the last star, one character later each time.
    var retry: (index: Int, position: String.Index)?
    while position < scalars.endIndex {
      if index < elements.count {
        switch elements[index] {
        case .any:
          index += 1
          retry = (index, position)
          continue
        case .one:
          index += 1
          position = scalars.index(after: position)
          continue
        case .literal(let scalar) where scalar == scalars[position]:
          index += 1
          position = scalars.index(after: position)
          continue
        case .literal: break
        }
      }
      guard let last = retry else { return false }
      position = scalars.index(after: last.position)
      index = last.index
      retry = (index, position)
    }
    while index < elements.count, case .any = elements[index] { index += 1 }
    return index == elements.count
  }
}
