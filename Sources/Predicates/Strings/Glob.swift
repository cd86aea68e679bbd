/// A pattern of LIKE: `*` matches any number of characters, `?` exactly one, and a backslash makes the next
/// character literal.
///
/// A character is a Unicode code point. Matching allocates no memory and takes at most a number of steps
/// equal to the product of both lengths.
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
        // Several stars in a row match what one star matches.
        if case .any? = elements.last { continue }
        elements.append(.any)
      default: elements.append(.literal(scalar))
      }
    }
    // A backslash at the end escapes nothing and matches itself.
    if isEscaped { elements.append(.literal("\\")) }
    self.elements = elements
  }

  /// Returns whether the whole string matches.
  func matches(_ text: String) -> Bool {
    let scalars = text.unicodeScalars
    var position = scalars.startIndex
    var index = 0
    // Where to continue if the rest fails: after the last star, one character further each time.
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
