/// A pointer to a variable that Objective-C would fill in; here nothing is released automatically.
public typealias AutoreleasingUnsafeMutablePointer<Pointee> = UnsafeMutablePointer<Pointee>

/// A pointer to where an Objective-C method puts its error.
public typealias NSErrorPointer = AutoreleasingUnsafeMutablePointer<NSError?>?

extension UnsafeMutablePointer where Pointee == AnyObject? {
  /// A pointer to a variable of a class, for what may put another object there.
  public init<Object: AnyObject>(_ other: UnsafeMutablePointer<Object>) {
    self = UnsafeMutableRawPointer(other).assumingMemoryBound(to: AnyObject?.self)
  }

  /// A pointer to a variable of an optional class, for what may put another object there.
  public init<Object: AnyObject>(_ other: UnsafeMutablePointer<Object?>) {
    self = UnsafeMutableRawPointer(other).assumingMemoryBound(to: AnyObject?.self)
  }
}
