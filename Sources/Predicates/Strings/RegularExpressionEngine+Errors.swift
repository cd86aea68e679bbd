import _FoundationICU

extension RegularExpressionEngine {
  /// What an error code of ICU means, with its name.
  static func reason(_ status: UErrorCode) -> String {
    let name = String(cString: swift_u_errorName(status))
    let meaning =
      switch status {
      case U_REGEX_MISMATCHED_PAREN: "a parenthesis has no other half"
      case U_REGEX_MISSING_CLOSE_BRACKET: "a bracket does not end"
      case U_REGEX_BAD_ESCAPE_SEQUENCE: "a backslash has no such meaning"
      case U_REGEX_PROPERTY_SYNTAX: "there is no such class of characters"
      case U_REGEX_RULE_SYNTAX: "something stands where it has no meaning"
      case U_REGEX_BAD_INTERVAL: "the number of repetitions is wrong"
      case U_REGEX_MAX_LT_MIN: "the most repetitions are fewer than the least"
      case U_REGEX_NUMBER_TOO_BIG: "a number is too big"
      case U_REGEX_INVALID_BACK_REF: "there is no group of that number"
      case U_REGEX_INVALID_CAPTURE_GROUP_NAME: "the name of a group is wrong"
      case U_REGEX_LOOK_BEHIND_LIMIT: "what looks behind has no longest match"
      case U_REGEX_INVALID_FLAG: "there is no such flag"
      case U_REGEX_INVALID_RANGE: "a range ends before it begins"
      case U_REGEX_SET_CONTAINS_STRING: "a set of characters contains a string"
      case U_REGEX_PATTERN_TOO_BIG: "the pattern is too big"
      case U_REGEX_STACK_OVERFLOW: "there are too many ways to go back to"
      case U_REGEX_UNIMPLEMENTED: "the regular expressions of ICU lack this"
      case U_MEMORY_ALLOCATION_ERROR: "there is not enough memory"
      default: "it cannot be used"
      }
    return "\(meaning) (\(name))"
  }

  /// Where a pattern is wrong, to stand behind a message; empty where ICU does not say.
  static func text(of place: UParseError) -> String {
    guard place.offset > 0 else { return "" }
    return place.line > 1
      ? ", at character \(place.offset) of line \(place.line)" : ", at character \(place.offset)"
  }
}
