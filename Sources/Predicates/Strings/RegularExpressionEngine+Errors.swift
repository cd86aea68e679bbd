import _FoundationICU

extension RegularExpressionEngine {
  /// Returns the meaning of an ICU error code, with its name.
  static func reason(_ status: UErrorCode) -> String {
    let name = String(cString: swift_u_errorName(status))
    let meaning =
      switch status {
      case U_REGEX_MISMATCHED_PAREN: "the parentheses are unbalanced"
      case U_REGEX_MISSING_CLOSE_BRACKET: "a bracket is not closed"
      case U_REGEX_BAD_ESCAPE_SEQUENCE: "an escape sequence is invalid"
      case U_REGEX_PROPERTY_SYNTAX: "a character property is unknown"
      case U_REGEX_RULE_SYNTAX: "the syntax is invalid"
      case U_REGEX_BAD_INTERVAL: "a number of repetitions is invalid"
      case U_REGEX_MAX_LT_MIN: "the maximum number of repetitions is less than the minimum"
      case U_REGEX_NUMBER_TOO_BIG: "a number is too large"
      case U_REGEX_INVALID_BACK_REF: "a back reference refers to a group that does not exist"
      case U_REGEX_INVALID_CAPTURE_GROUP_NAME: "the name of a group is invalid"
      case U_REGEX_LOOK_BEHIND_LIMIT: "a look-behind has no maximum length"
      case U_REGEX_INVALID_FLAG: "a flag is unknown"
      case U_REGEX_INVALID_RANGE: "a range ends before it begins"
      case U_REGEX_SET_CONTAINS_STRING: "a set of characters contains a string"
      case U_REGEX_PATTERN_TOO_BIG: "the pattern is too large"
      case U_REGEX_STACK_OVERFLOW: "matching needs too much backtracking"
      case U_REGEX_UNIMPLEMENTED: "ICU does not implement this construct"
      case U_MEMORY_ALLOCATION_ERROR: "there is not enough memory"
      default: "it cannot be used"
      }
    return "\(meaning) (\(name))"
  }

  /// Returns the position of an error in a pattern, as the end of a message; empty if ICU does not report one.
  static func text(of place: UParseError) -> String {
    guard place.offset > 0 else { return "" }
    return place.line > 1
      ? ", at character \(place.offset) of line \(place.line)" : ", at character \(place.offset)"
  }
}
