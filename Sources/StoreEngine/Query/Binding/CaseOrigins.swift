/// Finds what SQLite's `lower` or `upper` may return for the strings that have a given `lowercase:` or `uppercase:`.
///
/// SQLite converts only ASCII letters, and an index on `lower(name)` contains its results. The functions of
/// predicates convert all letters. Thus, the index contains a row whose `lowercase:` is "élan" either as "élan" or as
/// "Élan". A row whose `lowercase:` is "k" may contain the Kelvin sign (U+212A), and the index does, too.
package struct CaseOrigins: Sendable {
  /// The maximum number of strings for which an index is better than reading all rows.
  package static let limit = 64
  /// The maximum number of ranges of an index that a query may search.
  package static let rangeLimit = 8

  /// The conversion to lowercase or uppercase.
  package let function: PredefinedFunction
  /// For each sequence of scalars, the letters that predicates convert to it, in the form in which the index contains
  /// them.
  private let origins: [[Unicode.Scalar]: Set<Unicode.Scalar>]
  private let longest: Int

  private static let lower = CaseOrigins(.lowercase, \.lowercaseMapping) {
    "A" <= $0 && $0 <= "Z" ? Unicode.Scalar($0.value + 32) : $0
  }
  private static let upper = CaseOrigins(.uppercase, \.uppercaseMapping) {
    "a" <= $0 && $0 <= "z" ? Unicode.Scalar($0.value - 32) : $0
  }

  /// Returns the origins for a function of predicates; nil for other functions.
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
    // All letters with case are in the first two planes.
    for value in UInt32(0)..<0x20000 {
      guard let scalar = Unicode.Scalar(value), let shown = shown(scalar) else { continue }
      let mapped = mapping(scalar.properties)
      if scalar.isASCII || !mapped.isOnly(scalar) {
        origins[Array(mapped.unicodeScalars), default: []].insert(shown)
      }
    }
    // A letter with other origins may also be its own origin.
    for value in UInt32(0x80)..<0x20000 {
      guard let scalar = Unicode.Scalar(value), origins[[scalar]] != nil,
        mapping(scalar.properties).isOnly(scalar)
      else { continue }
      origins[[scalar]]?.insert(scalar)
    }
    self.origins = origins
    longest = origins.keys.map(\.count).max() ?? 1
  }

  /// Returns what an index contains for the strings that predicates convert to `text`; an empty array if there are no
  /// such strings, nil if there are too many.
  package func texts(of text: String) -> [String]? { texts(of: text, asPrefix: false) }

  /// Returns what an index contains at the beginning of the strings whose converted form begins with `prefix`; nil if
  /// there are too many such beginnings.
  package func prefixes(of prefix: String) -> [String]? { texts(of: prefix, asPrefix: true) }

  private func texts(of text: String, asPrefix: Bool) -> [String]? {
    let scalars = Array(text.unicodeScalars)
    // For each position, what an index contains for the strings that are converted to the remaining text.
    var behind = [[String.UnicodeScalarView]](repeating: [], count: scalars.count + 1)
    behind[scalars.count] = [String.UnicodeScalarView()]
    for start in scalars.indices.reversed() {
      var found: [String.UnicodeScalarView] = []
      for end in (start + 1)...min(start + longest, scalars.count) {
        for first in letters(Array(scalars[start..<end])) {
          found += behind[end].map { [first] + $0 }
        }
        // The limit is checked at each position, because the number of strings grows
        // exponentially with the length.
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
    // Compares scalars, because an index distinguishes strings that are canonically equivalent in Unicode.
    return Set(behind[0].map(Array.init)).map { String(String.UnicodeScalarView($0)) }
  }

  private func letters(_ mapped: [Unicode.Scalar]) -> Set<Unicode.Scalar> {
    if let known = origins[mapped] { return known }
    // No other letter is converted to this one. Either it has no case, or the function changes it.
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
  /// Returns whether the text consists of this scalar, and not of a canonically equivalent one.
  fileprivate func isOnly(_ scalar: Unicode.Scalar) -> Bool {
    unicodeScalars.elementsEqual(CollectionOfOne(scalar))
  }
}
