import CSwiftRuntime

/// Several references to one object, all retained in a single step. Used when many objects that are
/// created together each need a reference to the same object.
struct ReferenceStock<Object: AnyObject>: ~Copyable {
  private let object: Unmanaged<Object>?
  private var left: UInt32 = 0

  /// - Parameters:
  ///   - object: The object; nil if no reference will be needed.
  ///   - count: The maximum number of references that will be needed.
  init(_ object: Object?, count: Int) {
    self.object = object.map(Unmanaged.passUnretained)
    guard let object = self.object, count > 0 else { return }
    left = UInt32(count)
    retain_times(object.toOpaque(), left)
  }

  deinit {
    if let object, left > 0 { release_times(object.toOpaque(), left) }
  }

  /// Removes one of the references and returns it.
  @inline(__always)
  mutating func popReference() -> Object {
    guard let object, left > 0 else { preconditionFailure("there is no reference left") }
    left -= 1
    return object.takeRetainedValue()
  }
}
