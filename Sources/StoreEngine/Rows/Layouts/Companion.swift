public import Synchronization

/// Holds an object that a higher layer derives from a layout, so that it need not be looked up in a table.
///
/// Thread-safe. The object is created on first use. If two threads create one at the same time, both use the one that
/// is stored first.
@usableFromInline
package final class Companion: @unchecked Sendable {
  @usableFromInline let address = Atomic<UnsafeMutableRawPointer?>(nil)

  /// Returns the object. A companion always holds an object of the same type.
  @inlinable @inline(__always)
  package func object<Object: AnyObject>(_ make: () -> Object) -> Object {
    existing(Object.self) ?? keep(make())
  }

  /// Returns the result of `body` for the object, without retaining the object.
  @inlinable @inline(__always)
  package func withObject<Object: AnyObject, Result>(
    _ make: () -> Object, _ body: (Object) -> Result
  ) -> Result {
    guard let known = address.load(ordering: .acquiring) else { return body(keep(make())) }
    return Unmanaged<Object>.fromOpaque(known)._withUnsafeGuaranteedRef(body)
  }

  @inlinable @inline(__always)
  func existing<Object: AnyObject>(_ type: Object.Type) -> Object? {
    // Acquiring, so that this thread sees what another one stored in the object before it was published.
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
    // Another thread has stored its object first.
    reference.release()
    return existing(Object.self) ?? new
  }

  /// Releases the object, which may refer to the layout in a cycle. Call it when the layout is no longer in use.
  package func clear() {
    // Exchanged for nil, so that `deinit` does not release the object again.
    let address = address.exchange(nil, ordering: .acquiringAndReleasing)
    if let address { Unmanaged<AnyObject>.fromOpaque(address).release() }
  }

  deinit {
    if let address = address.load(ordering: .acquiring) {
      Unmanaged<AnyObject>.fromOpaque(address).release()
    }
  }
}
