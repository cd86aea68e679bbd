/// The rules by which a key path is read.
package struct KeyPathRules: Sendable {
  let nilRule: NilRule

  /// Whether an unknown element of a composite attribute is nil, like a missing key of any other dictionary.
  let allowsUnknownElements: Bool

  /// Returns the rules of predicates, expressions and sort descriptors. They must not ignore unknown elements.
  package static func predicate(_ nilRule: NilRule) -> Self {
    Self(nilRule: nilRule, allowsUnknownElements: false)
  }

  /// The rules of `value(forKeyPath:)`.
  package static var keyValueCoding: Self {
    Self(nilRule: .foundation, allowsUnknownElements: true)
  }
}
