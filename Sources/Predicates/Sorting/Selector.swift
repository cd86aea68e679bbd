/// The name of a method, as Objective-C's selectors: `Selector("localizedStandardCompare:")`.
///
/// On Apple's platforms the compiler provides this type, and `#selector`, which does not exist
/// elsewhere.
public struct Selector: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// The name, with its colons.
  public let description: String

  /// A selector from its name, with its colons.
  public init(_ string: String) {
    description = string
  }

  /// A selector from its name, with its colons.
  public init(stringLiteral value: String) {
    description = value
  }
}

/// The name of a selector.
public func NSStringFromSelector(_ selector: Selector) -> String { selector.description }

/// A selector from its name.
public func NSSelectorFromString(_ name: String) -> Selector { Selector(name) }
