/// The identifiers of a document's elements: stable, different, and made of letters that need no
/// escape in a URL or a style sheet.
struct ElementNames {
  private var usedNames: Set<String> = []
  /// The number to try next for what was asked for before: those below it are used.
  private var numbers: [String: Int] = [:]

  /// An identifier such as `entity-Person`; with a number behind it where it is used already.
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
    let scalars = name.unicodeScalars.prefix(120).map { scalar in
      scalar.properties.isAlphabetic || ("0"..."9") ~= scalar ? scalar : "_"
    }
    return String(String.UnicodeScalarView(scalars))
  }
}
