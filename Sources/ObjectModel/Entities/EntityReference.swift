import CSwiftRuntime
import Synchronization

/// A zeroing reference to an entity: nil after the entity is deallocated.
///
/// It replaces `weak` for speed: retaining and releasing an object with weak references costs several times as
/// much, and every new managed object retains its entity. For the same reason, no weak reference points to an
/// entity's layout or to a batch of rows, which managed objects retain too.
struct EntityReference {
  private let place: EntityPlace?

  init(_ entity: NSEntityDescription?) {
    place = entity?.place
    if let entity { place?.note(entity) }
  }

  var entity: NSEntityDescription? { place?.entity }
}

/// The address of an entity during its lifetime.
final class EntityPlace: Sendable {
  /// 0 until the first reference is created, and after the entity is deallocated.
  private let address = Mutex<UInt>(0)

  func note(_ entity: NSEntityDescription) {
    let noted = UInt(bitPattern: Unmanaged.passUnretained(entity).toOpaque())
    address.withLock { $0 = noted }
  }

  func clear() { address.withLock { $0 = 0 } }

  /// The entity; nil once its deallocation has begun. Its memory is not reused before `clear()` resets the address.
  var entity: NSEntityDescription? {
    address.withLock { address in
      // Inside the lock: the entity's deinitializer waits for the lock in `clear()`, so the
      // entity's memory still exists here.
      Unmanaged.retainedIfAlive(at: address)?.takeRetainedValue()
    }
  }
}

extension Unmanaged {
  /// Retains the object at an address. Returns nil if the object is being deallocated, and for
  /// address 0.
  package static func retainedIfAlive(at address: UInt) -> Unmanaged<Instance>? {
    guard let pointer = UnsafeMutableRawPointer(bitPattern: address),
      let held = retained_if_alive(pointer)
    else { return nil }
    return .fromOpaque(held)
  }
}
