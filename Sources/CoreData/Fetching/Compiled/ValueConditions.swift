// Conditions on values of any kind: what the typed ones do not cover.

/// A comparison of two values.
final class ComparisonCondition: CompiledCondition, @unchecked Sendable {
  private let left: CompiledValue
  private let comparison: BoundPredicate.Comparison
  private let right: CompiledValue

  init(
    _ left: CompiledValue, _ comparison: BoundPredicate.Comparison, _ right: CompiledValue
  ) {
    self.left = left
    self.comparison = comparison
    self.right = right
  }

  override func truth(_ frames: EvaluationFrames) throws -> Truth {
    Truth(
      StoredValue.order(try left.value(frames), try right.value(frames)).map(comparison.holds))
  }
}

/// Equality for which two NULLs are the same.
final class IdenticalCondition: CompiledCondition, @unchecked Sendable {
  private let left: CompiledValue
  private let right: CompiledValue

  init(_ left: CompiledValue, _ right: CompiledValue) {
    self.left = left
    self.right = right
  }

  override func truth(_ frames: EvaluationFrames) throws -> Truth {
    let a = try left.value(frames)
    let b = try right.value(frames)
    return Truth(a.isNull || b.isNull ? a.isNull && b.isNull : StoredValue.order(a, b) == 0)
  }
}

/// Whether a value is NULL.
final class NullValueCondition: CompiledCondition, @unchecked Sendable {
  private let value: CompiledValue
  init(_ value: CompiledValue) { self.value = value }
  override func truth(_ frames: EvaluationFrames) throws -> Truth {
    Truth(try value.value(frames).isNull)
  }
}

/// Whether a value is one of some.
final class AmongCondition: CompiledCondition, @unchecked Sendable {
  private let value: CompiledValue
  private let values: [StoredValue]

  init(_ value: CompiledValue, _ values: [StoredValue]) {
    self.value = value
    self.values = values
  }

  override func truth(_ frames: EvaluationFrames) throws -> Truth {
    let value = try value.value(frames)
    if value.isNull { return .unknown }
    return Truth(values.contains { StoredValue.order(value, $0) == 0 })
  }
}

/// Whether a text is one of some, by the options of a comparison.
final class FoldedTextsCondition: CompiledCondition, @unchecked Sendable {
  private let value: CompiledValue
  private let texts: FoldedTexts

  init(_ value: CompiledValue, _ texts: FoldedTexts) {
    self.value = value
    self.texts = texts
  }

  override func truth(_ frames: EvaluationFrames) throws -> Truth {
    Truth(try value.value(frames).matchedText.map(texts.contains))
  }
}

/// A string operator between a value and a pattern.
final class MatchCondition: CompiledCondition, @unchecked Sendable {
  private let value: CompiledValue
  private let matcher: StringMatcher

  init(_ value: CompiledValue, _ matcher: StringMatcher) {
    self.value = value
    self.matcher = matcher
  }

  override func truth(_ frames: EvaluationFrames) throws -> Truth {
    guard let text = try value.value(frames).matchedText else { return .unknown }
    return Truth(try matcher.matches(text))
  }
}

/// A string operator between two values.
final class MatchValuesCondition: CompiledCondition, @unchecked Sendable {
  private let left: CompiledValue
  private let type: NSComparisonPredicate.Operator
  private let right: CompiledValue
  private let options: NSComparisonPredicate.Options

  init(
    _ left: CompiledValue, _ type: NSComparisonPredicate.Operator, _ right: CompiledValue,
    _ options: NSComparisonPredicate.Options
  ) {
    self.left = left
    self.type = type
    self.right = right
    self.options = options
  }

  override func truth(_ frames: EvaluationFrames) throws -> Truth {
    guard let text = try left.value(frames).matchedText,
      let pattern = try right.value(frames).matchedText
    else { return .unknown }
    return Truth(try StringMatcher(type, options: options, pattern: pattern).matches(text))
  }
}

/// Whether no value of some members appears more often.
final class ModeCondition: CompiledCondition, @unchecked Sendable {
  private let value: CompiledValue
  private let values: MemberValues

  init(_ value: CompiledValue, _ values: MemberValues) {
    self.value = value
    self.values = values
  }

  override func truth(_ frames: EvaluationFrames) throws -> Truth {
    let value = try value.value(frames)
    return Truth(
      try values.statistic(.mode, frames).modes()
        .contains { StoredValue.order(value, StoredValue($0)) == 0 })
  }
}

/// Whether a value lies between two others.
final class BetweenCondition: CompiledCondition, @unchecked Sendable {
  private let value: CompiledValue
  private let low: CompiledValue
  private let high: CompiledValue

  init(_ value: CompiledValue, _ low: CompiledValue, _ high: CompiledValue) {
    self.value = value
    self.low = low
    self.high = high
  }

  override func truth(_ frames: EvaluationFrames) throws -> Truth {
    let value = try value.value(frames)
    let isAbove = StoredValue.order(value, try low.value(frames)).map { $0 >= 0 }
    let isBelow = StoredValue.order(value, try high.value(frames)).map { $0 <= 0 }
    if isAbove == false || isBelow == false { return .no }
    return isAbove == nil || isBelow == nil ? .unknown : .yes
  }
}
