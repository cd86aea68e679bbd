/// Which texts become a text in lower or upper case, as SQLite's `lower` and `upper` show them.
///
/// SQLite changes the letters of ASCII alone, and an index over `lower(name)` has what that gives. The
/// functions of predicates change all letters. So a row whose `lowercase:` is "élan" is in the index as
/// "élan" or as "Élan", and the Kelvin sign of the alphabet's letters is a "k".
package struct CaseOrigins: Sendable {
  /// The most texts for which an index is better than reading all rows.
  package static let limit = 64
  /// The most ranges of an index.
  package static let rangeLimit = 8

  /// Lower or upper case.
  package let function: PredefinedFunction
  /// The letters that become some scalars, as SQLite shows them.
  private let origins: [[Unicode.Scalar]: Set<Unicode.Scalar>]
  private let longest: Int

  private static let lower = CaseOrigins(.lowercase, \.lowercaseMapping) {
    "A" <= $0 && $0 <= "Z" ? Unicode.Scalar($0.value + 32) : $0
  }
  private static let upper = CaseOrigins(.uppercase, \.uppercaseMapping) {
    "a" <= $0 && $0 <= "z" ? Unicode.Scalar($0.value - 32) : $0
  }

  /// The texts of a function of predicates; nil for functions of other kinds.
  package static func of(_ function: PredefinedFunction) -> CaseOrigins? {
    switch function {
    case .lowercase: lower
    case .uppercase: upper
    default: nil
    }
  }

  private init(
    _ function: PredefinedFunction, _ mapping: (Unicode.Scalar.Properties) -> String,
    shown: (Unicode.Scalar) -> Unicode.Scalar?
  ) {
    self.function = function
    var origins: [[Unicode.Scalar]: Set<Unicode.Scalar>] = [:]
    // No letter with two cases is beyond the second plane.
    for value in UInt32(0)..<0x20000 {
      guard let scalar = Unicode.Scalar(value), let shown = shown(scalar) else { continue }
      let mapped = mapping(scalar.properties)
      if scalar.isASCII || !mapped.isOnly(scalar) {
        origins[Array(mapped.unicodeScalars), default: []].insert(shown)
      }
    }
    // A letter that has other origins may be its own, too.
    for value in UInt32(0x80)..<0x20000 {
      guard let scalar = Unicode.Scalar(value), origins[[scalar]] != nil,
        mapping(scalar.properties).isOnly(scalar)
      else { continue }
      origins[[scalar]]?.insert(scalar)
    }
    self.origins = origins
    longest = origins.keys.map(\.count).max() ?? 1
  }

  /// The texts that become `text`; none where nothing does, nil where they are too many.
  package func texts(of text: String) -> [String]? { texts(of: text, asPrefix: false) }

  /// The beginnings of texts that become a text which begins with `prefix`; nil where they are too many.
  package func prefixes(of prefix: String) -> [String]? { texts(of: prefix, asPrefix: true) }

  private func texts(of text: String, asPrefix: Bool) -> [String]? {
    let scalars = Array(text.unicodeScalars)
    // The texts that become what is behind each place.
    var behind = [[String.UnicodeScalarView]](repeating: [], count: scalars.count + 1)
    behind[scalars.count] = [String.UnicodeScalarView()]
    for start in scalars.indices.reversed() {
      var found: [String.UnicodeScalarView] = []
      for end in (start + 1)...min(start + longest, scalars.count) {
        for first in letters(Array(scalars[start..<end])) {
          found += behind[end].map { [first] + $0 }
        }
        if found.count > Self.limit { return nil }
      }
      if asPrefix {
        let rest = scalars[start...]
        for (mapped, letters) in origins
        where mapped.count > rest.count && mapped.starts(with: rest) {
          found += letters.map { String.UnicodeScalarView([$0]) }
        }
      }
      behind[start] = found
    }
    // Texts that Unicode holds for equal are different ones in an index.
    return Set(behind[0].map(Array.init)).map { String(String.UnicodeScalarView($0)) }
  }

  private func letters(_ mapped: [Unicode.Scalar]) -> Set<Unicode.Scalar> {
    if let known = origins[mapped] { return known }
    // One that no letter becomes is no letter, or is itself of the other case.
    guard mapped.count == 1, !isChanged(mapped[0]) else { return [] }
    return [mapped[0]]
  }

  private func isChanged(_ scalar: Unicode.Scalar) -> Bool {
    let mapped =
      function == .lowercase
      ? scalar.properties.lowercaseMapping : scalar.properties.uppercaseMapping
    return !mapped.isOnly(scalar)
  }
}

extension String {
  /// Whether the text is this scalar, and not one that Unicode holds for equal.
  fileprivate func isOnly(_ scalar: Unicode.Scalar) -> Bool {
    unicodeScalars.elementsEqual(CollectionOfOne(scalar))
  }
}
