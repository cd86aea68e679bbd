/// Gives the opposite of a truth value.
final class NegatingTransformer: ValueTransformer {
  override class func transformedValueClass() -> AnyClass { NSNumber.self }

  override func transformedValue(_ value: Any?) -> Any? {
    NSNumber(value: !((value as? NSNumber)?.boolValue ?? false))
  }
}

/// Gives whether a value is nil, or is not.
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
