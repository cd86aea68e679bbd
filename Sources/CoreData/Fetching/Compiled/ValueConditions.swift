// Conditions on values of any type, for cases that the specialized conditions do not cover.

/// A comparison of two values.
final class ComparisonCondition: CompiledCondition, @unchecked Sendable {
  private let left: CompiledValue
  private let comparison: BoundPredicate.Comparison
  private let right: CompiledValue

  init(_ left: CompiledValue, _ comparison: BoundPredicate.Comparison, _ right: CompiledValue) {
    self.left = left
    self.comparison = comparison
    self.right = right
  }

  override func truth(_ frames: EvaluationFrames) throws -> Truth {
    Truth(StoredValue.order(try left.value(frames), try right.value(frames)).map(comparison.holds))
  }
}

/// A condition that a closure evaluates.
final class ValueCondition: CompiledCondition, @unchecked Sendable {
  private let body: (EvaluationFrames) throws -> Truth

  init(_ body: @escaping (EvaluationFrames) throws -> Truth) { self.body = body }

  override func truth(_ frames: EvaluationFrames) throws -> Truth { try body(frames) }
}

extension ValueCondition {
  /// Whether two values are equal, where NULL equals NULL.
  convenience init(_ left: CompiledValue, isIdenticalTo right: CompiledValue) {
    self.init { frames in
      let a = try left.value(frames)
      let b = try right.value(frames)
      return Truth(a.isNull || b.isNull ? a.isNull && b.isNull : StoredValue.order(a, b) == 0)
    }
  }

  /// Whether a value is NULL.
  convenience init(isNull value: CompiledValue) {
    self.init { Truth(try value.value($0).isNull) }
  }

  /// Whether a value is in a list.
  convenience init(_ value: CompiledValue, among values: [StoredValue]) {
    self.init { frames in
      let value = try value.value(frames)
      if value.isNull { return .unknown }
      return Truth(values.contains { StoredValue.order(value, $0) == 0 })
    }
  }

  /// Whether a string equals one in a list, compared with the options of the list.
  convenience init(_ value: CompiledValue, among texts: FoldedTexts) {
    self.init { Truth(try value.value($0).matchedText.map(texts.contains)) }
  }

  /// Applies a string operator to a value and a pattern.
  convenience init(_ value: CompiledValue, _ matcher: StringMatcher) {
    self.init { frames in
      guard let text = try value.value(frames).matchedText else { return .unknown }
      return Truth(try matcher.matches(text))
    }
  }

  /// Applies a string operator to two values.
  convenience init(
    _ left: CompiledValue, _ type: NSComparisonPredicate.Operator, _ right: CompiledValue,
    _ options: NSComparisonPredicate.Options
  ) {
    self.init { frames in
      guard let text = try left.value(frames).matchedText,
        let pattern = try right.value(frames).matchedText
      else { return .unknown }
      return Truth(try StringMatcher(type, options: options, pattern: pattern).matches(text))
    }
  }

  /// Whether a value is a mode of members' values: no other value occurs more often.
  convenience init(_ value: CompiledValue, isModeOf values: MemberValues) {
    self.init { frames in
      let value = try value.value(frames)
      return Truth(
        try values.statistic(.mode, frames).modes()
          .contains { StoredValue.order(value, StoredValue($0)) == 0 })
    }
  }

  /// Whether a value is between two others, inclusive.
  convenience init(_ value: CompiledValue, between low: CompiledValue, _ high: CompiledValue) {
    self.init { frames in
      let value = try value.value(frames)
      let isAbove = StoredValue.order(value, try low.value(frames)).map { $0 >= 0 }
      let isBelow = StoredValue.order(value, try high.value(frames)).map { $0 <= 0 }
      // One false comparison decides, even if the other bound is NULL, as in SQL's AND.
      if isAbove == false || isBelow == false { return .no }
      return isAbove == nil || isBelow == nil ? .unknown : .yes
    }
  }
}
