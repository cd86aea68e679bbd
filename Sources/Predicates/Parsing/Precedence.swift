/// The precedence of an operator, in ascending order.
enum Precedence: Int, Comparable {
  case or = 1
  case and
  case not
  case comparison
  case set
  case bitOr
  case bitXor
  case bitAnd
  case shift
  case sum
  case product
  case power
  case operand

  static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

  /// The next higher precedence.
  var tighter: Precedence { Precedence(rawValue: rawValue + 1) ?? .operand }
}
