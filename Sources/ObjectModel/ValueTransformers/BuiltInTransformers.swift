/// Negates a boolean.
final class NegatingTransformer: ValueTransformer {
  override class func transformedValueClass() -> AnyClass { NSNumber.self }

  override func transformedValue(_ value: Any?) -> Any? {
    NSNumber(value: !((value as? NSNumber)?.boolValue ?? false))
  }
}

/// Returns whether a value is nil, or whether it is not.
final class NilTransformer: ValueTransformer {
  private let isNil: Bool

  init(isNil: Bool) { self.isNil = isNil }

  required init() { isNil = true }

  override class func transformedValueClass() -> AnyClass { NSNumber.self }
  override class func allowsReverseTransformation() -> Bool { false }

  override func transformedValue(_ value: Any?) -> Any? {
    NSNumber(value: (value == nil || value is NSNull) == isNil)
  }
}
