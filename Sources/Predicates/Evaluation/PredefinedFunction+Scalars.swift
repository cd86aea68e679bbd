extension PredefinedFunction {
  /// Whether the function depends only on its one or two arguments, which are numbers or strings: arithmetic, powers
  /// and logarithms, rounding, bit operations, case and length of a string. Also true for `noindex:`, whose argument
  /// may have any type.
  ///
  /// Functions of collections, the current time, random numbers, indexes and conversions are not scalar.
  package var isScalar: Bool {
    switch self {
    case .add, .subtract, .multiply, .divide, .modulus, .raise, .squareRoot, .logarithm,
      .naturalLogarithm, .exponential, .floor, .ceiling, .absolute, .truncate, .uppercase,
      .lowercase, .canonical, .length, .bitwiseAnd, .bitwiseOr, .bitwiseXor, .leftShift,
      .rightShift, .onesComplement, .noIndex:
      true
    default: false
    }
  }

  /// Returns the result for one or two values; a function of one value ignores the second.
  ///
  /// Evaluation in memory and evaluation in stores both call this method, so that they agree. Arithmetic on integers
  /// returns an integer, and arithmetic with a decimal other than a power returns a decimal, if that type can represent
  /// the result. Otherwise it returns a double.
  ///
  /// The result is null for a null argument, for a division or modulus by zero, for a bit operation on a number that
  /// does not fit in 64 bits, and instead of not-a-number. Therefore no number in an object makes the evaluation of a
  /// predicate fail. Under the store's nil rule, decimal arguments are first rounded to the digits that a column
  /// stores.
  ///
  /// - Throws: An ``InvalidPredicateError`` for a value of the wrong type, or for a function that
  ///   is not scalar.
  package func value(
    _ a: Scalar, _ b: Scalar = .null, nilRule: NilRule
  ) throws -> Scalar {
    let a = nilRule == .store ? a.keptDigits : a
    let b = nilRule == .store ? b.keptDigits : b
    if a.isNull || (argumentCount.lowerBound == 2 && b.isNull) { return .null }
    if self == .divide || self == .modulus, b.isZero { return .null }
    // Return null instead of throwing the error of `wholeNumber`, because one row with a large
    // number must not fail the whole fetch.
    if worksOnBits, !a.isWhole || !(argumentCount.lowerBound == 1 || b.isWhole) { return .null }
    let result = try value(a, b)
    return result.isNotANumber ? .null : result
  }

  private func value(_ a: Scalar, _ b: Scalar) throws -> Scalar {
    switch self {
    case .add, .subtract, .multiply, .divide, .modulus, .raise:
      return try Arithmetic.apply(self, a, b)
    case .squareRoot: return .double(try double(a).squareRoot())
    case .logarithm: return .double(log10(try double(a)))
    case .naturalLogarithm: return .double(log(try double(a)))
    case .exponential: return .double(exp(try double(a)))
    case .floor, .ceiling, .truncate: return try rounded(a)
    case .absolute: return try magnitude(a)
    case .uppercase: return try text(a).map { .text($0.uppercased()) } ?? .null
    case .lowercase: return try text(a).map { .text($0.lowercased()) } ?? .null
    case .canonical: return try text(a).map { .text(Self.canonicalFolding.fold($0)) } ?? .null
    // Like `NSString`, whose length counts UTF-16 units.
    case .length: return try text(a).map { .integer(Int64($0.utf16.count)) } ?? .null
    case .bitwiseAnd: return .integer(try whole(a) & whole(b))
    case .bitwiseOr: return .integer(try whole(a) | whole(b))
    case .bitwiseXor: return .integer(try whole(a) ^ whole(b))
    // Swift's shift operators accept any count: a shift by more than 63 bits returns 0, or -1 for a negative number
    // that is shifted right, and a negative count shifts in the opposite direction.
    case .leftShift: return .integer(try whole(a) << whole(b))
    case .rightShift: return .integer(try whole(a) >> whole(b))
    case .onesComplement: return .integer(~(try whole(a)))
    case .noIndex: return a
    default:
      throw InvalidPredicateError("\(rawValue) is not a function of one or two values")
    }
  }

  private var worksOnBits: Bool {
    switch self {
    case .bitwiseAnd, .bitwiseOr, .bitwiseXor, .leftShift, .rightShift, .onesComplement: true
    default: false
    }
  }

  private static let canonicalFolding = Folding([.caseInsensitive, .diacriticInsensitive])

  private func double(_ value: Scalar) throws -> Double {
    try Arithmetic.checkNumber(value, self)
    return value.doubleValue ?? .nan
  }

  private func whole(_ value: Scalar) throws -> Int64 { try Arithmetic.wholeNumber(value, self) }

  /// Returns the text of a value; nil for null.
  private func text(_ value: Scalar) throws -> String? {
    switch value {
    case .text(let text): return text
    case .null: return nil
    default:
      throw InvalidPredicateError("\(rawValue) needs text, not \(describe(value.boxed))")
    }
  }

  private func rounded(_ value: Scalar) throws -> Scalar {
    switch value {
    case .integer, .unsigned: return value
    case .decimal(let value): return .decimal(Arithmetic.rounded(value, self))
    default: break
    }
    let number = try double(value)
    return switch self {
    case .floor: .double(number.rounded(.down))
    case .ceiling: .double(number.rounded(.up))
    default: .double(number.rounded(.towardZero))
    }
  }

  private func magnitude(_ value: Scalar) throws -> Scalar {
    switch value {
    case .unsigned: value
    // The magnitude of the least integer does not fit in 64 bits.
    case .integer(.min): .double(0x1p63)
    case .integer(let value): .integer(abs(value))
    case .decimal(let value): .decimal(abs(value))
    default: .double(abs(try double(value)))
    }
  }
}

extension Scalar {
  /// False for a number whose integer part does not fit in 64 bits; true for every other value.
  fileprivate var isWhole: Bool {
    switch self {
    case .double(let value): Int64(exactly: value.rounded(.towardZero)) != nil
    case .decimal: doubleValue.map { Int64(exactly: $0.rounded(.towardZero)) != nil } ?? false
    default: true
    }
  }
}
