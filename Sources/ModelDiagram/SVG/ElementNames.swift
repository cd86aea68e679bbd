/// Creates the identifiers of a document's elements. They are stable and unique. They consist of letters of any
/// alphabet, digits, hyphens and underscores, so they need no escaping in a style sheet.
struct ElementNames {
  private var usedNames: Set<String> = []
  /// The next number to append to each repeated identifier; lower numbers are already in use.
  private var numbers: [String: Int] = [:]

  /// Returns an identifier such as `entity-Person`, with a number appended if it is used already.
  mutating func next(_ kind: String, _ names: String...) -> String {
    let base = ([kind] + names.map(Self.plain)).joined(separator: "-")
    var result = base
    guard !usedNames.insert(result).inserted else { return result }
    var number = numbers[base] ?? 2
    repeat {
      result = "\(base)-\(number)"
      number += 1
    } while !usedNames.insert(result).inserted
    numbers[base] = number
    return result
  }

  private static func plain(_ name: String) -> String {
    // A name may have any length, so it is shortened. If two names begin with the same 120 characters, `next` appends
    // a number.
    let scalars = name.unicodeScalars.prefix(120).map { scalar in
      scalar.properties.isAlphabetic || ("0"..."9") ~= scalar ? scalar : "_"
    }
    return String(String.UnicodeScalarView(scalars))
  }
}
