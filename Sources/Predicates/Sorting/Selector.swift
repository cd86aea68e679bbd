/// The name of a method, like Objective-C's selectors: `Selector("localizedStandardCompare:")`.
///
/// Apple's platforms have this type in their module ObjectiveC. Their expression `#selector` does not
/// exist on other platforms.
public struct Selector: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// The name, with its colons.
  public let description: String

  /// Creates a selector from its name, with its colons.
  public init(_ string: String) {
    description = string
  }

  /// Creates a selector from its name, with its colons.
  public init(stringLiteral value: String) {
    description = value
  }
}

/// Returns the name of a selector.
public func NSStringFromSelector(_ selector: Selector) -> String { selector.description }

/// Returns a selector with a name.
public func NSSelectorFromString(_ name: String) -> Selector { Selector(name) }
