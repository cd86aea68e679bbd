/// The identifiers of a document's elements: stable, different, and made of letters that need no
/// escape in a URL or a style sheet.
struct ElementNames {
  private var taken: Set<String> = []

  /// An identifier such as `entity-Person`; with a number behind it where it is taken already.
  mutating func next(_ kind: String, _ names: String...) -> String {
    let base = ([kind] + names.map(Self.plain)).joined(separator: "-")
    var result = base
    var number = 2
    while !taken.insert(result).inserted {
      result = "\(base)-\(number)"
      number += 1
    }
    return result
  }

  private static func plain(_ name: String) -> String {
    var result = ""
    for scalar in name.unicodeScalars.prefix(120) {
      let isPlain = scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9") ~= scalar)
      let isLetter = !scalar.isASCII && scalar.properties.isAlphabetic
      result.unicodeScalars.append(isPlain || isLetter ? scalar : "_")
    }
    return result
  }
}
