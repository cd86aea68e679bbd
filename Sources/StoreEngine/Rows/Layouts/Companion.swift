public import Synchronization

/// Holds an object that a floor above makes of a layout and keeps with it, so that it is found without a table.
///
/// From any thread. The object is made when it is first asked for; where two threads make one at the same time, one of
/// them is kept and given to both.
@usableFromInline
package final class Companion: @unchecked Sendable {
  @usableFromInline let address = Atomic<UnsafeMutableRawPointer?>(nil)

  /// Returns the object, which is of one type for each companion.
  @inlinable @inline(__always)
  package func object<Object: AnyObject>(_ make: () -> Object) -> Object {
    existing(Object.self) ?? keep(make())
  }

  /// Returns what `body` makes of the object, whose references are not counted.
  @inlinable @inline(__always)
  package func withObject<Object: AnyObject, Result>(
    _ make: () -> Object, _ body: (Object) -> Result
  ) -> Result {
    guard let known = address.load(ordering: .acquiring) else { return body(keep(make())) }
    return Unmanaged<Object>.fromOpaque(known)._withUnsafeGuaranteedRef(body)
  }

  @inlinable @inline(__always)
  func existing<Object: AnyObject>(_ type: Object.Type) -> Object? {
    address.load(ordering: .acquiring).map {
      Unmanaged<Object>.fromOpaque($0).takeUnretainedValue()
    }
  }

  @usableFromInline @inline(never)
  func keep<Object: AnyObject>(_ new: Object) -> Object {
    let reference = Unmanaged.passRetained(new)
    let (isKept, _) = address.compareExchange(
      expected: nil, desired: reference.toOpaque(), ordering: .acquiringAndReleasing)
    if isKept { return new }
    reference.release()
    return existing(Object.self) ?? new
  }

  /// Lets go of the object: it may refer to the layout, in a circle. Nobody else uses the layout any more.
  package func clear() {
    let address = address.exchange(nil, ordering: .acquiringAndReleasing)
    if let address { Unmanaged<AnyObject>.fromOpaque(address).release() }
  }

  deinit {
    if let address = address.load(ordering: .acquiring) {
      Unmanaged<AnyObject>.fromOpaque(address).release()
    }
  }
}
