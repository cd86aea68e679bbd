/// A pointer to an object reference, the type of parameters such as `NSError **` in Objective-C. Unlike on Apple's
/// platforms, the object is not autoreleased.
public typealias AutoreleasingUnsafeMutablePointer<Pointee> = UnsafeMutablePointer<Pointee>

/// A pointer to the variable that receives the error of an Objective-C method.
public typealias NSErrorPointer = AutoreleasingUnsafeMutablePointer<NSError?>?

extension UnsafeMutablePointer where Pointee == AnyObject? {
  /// Creates a pointer to a variable of a class type, for a method that may assign another object.
  public init<Object: AnyObject>(_ other: UnsafeMutablePointer<Object>) {
    // A class reference and an optional class reference have the same layout, so the memory can be read as either.
    self = UnsafeMutableRawPointer(other).assumingMemoryBound(to: AnyObject?.self)
  }

  /// Creates a pointer to a variable of an optional class type, for a method that may assign another object.
  public init<Object: AnyObject>(_ other: UnsafeMutablePointer<Object?>) {
    self = UnsafeMutableRawPointer(other).assumingMemoryBound(to: AnyObject?.self)
  }
}
