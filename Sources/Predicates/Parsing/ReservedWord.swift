/// The words of the predicate language, in any case. A key of the same name is written with a number
/// sign before it, `#size`.
enum ReservedWord: String, CaseIterable {
  case and = "AND"
  case or = "OR"
  case `in` = "IN"
  case not = "NOT"
  case all = "ALL"
  case any = "ANY"
  case some = "SOME"
  case none = "NONE"
  case like = "LIKE"
  case caseInsensitive = "CASEINSENSITIVE"
  case ci = "CI"
  case matches = "MATCHES"
  case contains = "CONTAINS"
  case beginsWith = "BEGINSWITH"
  case endsWith = "ENDSWITH"
  case between = "BETWEEN"
  case null = "NULL"
  case `nil` = "NIL"
  case `self` = "SELF"
  case `true` = "TRUE"
  case yes = "YES"
  case `false` = "FALSE"
  case no = "NO"
  case first = "FIRST"
  case last = "LAST"
  case size = "SIZE"
  case anyKey = "ANYKEY"
  case subquery = "SUBQUERY"
  case fetch = "FETCH"
  case cast = "CAST"
  case truePredicate = "TRUEPREDICATE"
  case falsePredicate = "FALSEPREDICATE"
  case utiConformsTo = "UTI-CONFORMS-TO"
  case utiEquals = "UTI-EQUALS"

  private static let bySpelling = Dictionary(
    uniqueKeysWithValues: allCases.map { ($0.rawValue, $0) })

  /// Creates the word with a spelling in any case.
  init?(spelling: String) {
    // The longest word has 15 characters; a longer name need not be converted to uppercase. Names beyond ASCII are
    // excluded, because Swift's strings regard the Kelvin sign as equal to K.
    guard spelling.utf8.count <= 15, spelling.utf8.allSatisfy({ $0 < 0x80 }),
      let word = Self.bySpelling[spelling.uppercased()]
    else { return nil }
    self = word
  }
}
