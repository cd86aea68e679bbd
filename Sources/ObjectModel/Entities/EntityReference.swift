import CSwiftRuntime
import Synchronization

/// A reference that does not hold an entity: nil once the entity is gone.
///
/// It does what `weak` does, for the sake of the entity: an object that weak references lead to pays
/// several times as much for being retained and released, and an entity is for every managed object
/// that is made. For the same reason no weak reference leads to an entity's layout or to a batch of rows, which managed
/// objects retain as well.
struct EntityReference {
  private let place: EntityPlace?

  init(_ entity: NSEntityDescription?) {
    place = entity?.place
    if let entity { place?.note(entity) }
  }

  var entity: NSEntityDescription? { place?.entity }
}

/// Where an entity is, for as long as it is.
final class EntityPlace: Sendable {
  /// 0 while no reference was made, and when the entity is gone.
  private let address = Mutex<UInt>(0)

  func note(_ entity: NSEntityDescription) {
    let noted = UInt(bitPattern: Unmanaged.passUnretained(entity).toOpaque())
    address.withLock { $0 = noted }
  }

  func entityIsGone() { address.withLock { $0 = 0 } }

  /// The entity; nil also while it is ending, until when its address stays its own.
  var entity: NSEntityDescription? {
    address.withLock { address in
      Unmanaged.retainedIfAlive(at: address)?.takeRetainedValue()
    }
  }
}

extension Unmanaged {
  /// Retains the object at an address, unless its last reference is gone; nil then, and for address 0.
  package static func retainedIfAlive(at address: UInt) -> Unmanaged<Instance>? {
    guard let pointer = UnsafeMutableRawPointer(bitPattern: address),
      let held = retained_if_alive(pointer)
    else { return nil }
    return .fromOpaque(held)
  }
}
