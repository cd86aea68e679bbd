import Synchronization

// Extensions of managed objects and descriptions use the associated objects of Apple's Objective-C
// runtime for values that they cannot store. Source: "Associative References", objc/runtime.h.

/// How an object keeps an associated value.
public enum objc_AssociationPolicy: UInt, Sendable {
  /// Keeps an object weakly, but numbers, strings, dates and values that are not objects strongly.
  /// Compared to Apple's runtime: a deallocated object reads as nil instead of dangling.
  case OBJC_ASSOCIATION_ASSIGN = 0
  case OBJC_ASSOCIATION_RETAIN_NONATOMIC = 1
  /// Copies the value if it can be copied (`NSCopying`).
  case OBJC_ASSOCIATION_COPY_NONATOMIC = 3
  case OBJC_ASSOCIATION_RETAIN = 0o1401
  case OBJC_ASSOCIATION_COPY = 0o1403
}

/// Associates `value` with `object` under `key`, replacing an earlier value; nil removes it. May be
/// called on any thread, whatever the policy says about atomicity.
///
/// Compared to Apple's runtime: when an object that is not a managed object is deallocated, its
/// `deinit` no longer finds its values. They are released later, at the latest when enough other objects
/// have received values: 64, or as many as had values at the last cleanup, whichever is more.
///
/// - Parameters:
///   - object: An instance of a class.
///   - key: The address of a global or static variable that belongs to the key alone. It is not read.
///   - value: The value; nil to remove the earlier one.
///   - policy: Whether the value is retained, copied or only referenced.
public func objc_setAssociatedObject(
  _ object: Any, _ key: UnsafeRawPointer, _ value: Any?, _ policy: objc_AssociationPolicy
) {
  AssociatedObjects.set(value.map { AssociatedValue($0, policy) }, key, of: owner(object))
}

/// Returns the value associated with `object` under `key`; nil if there is none.
public func objc_getAssociatedObject(_ object: Any, _ key: UnsafeRawPointer) -> Any? {
  AssociatedObjects.value(key, of: owner(object))
}

/// Removes all values associated with `object`.
public func objc_removeAssociatedObjects(_ object: Any) {
  AssociatedObjects.removeAll(of: owner(object))
}

/// Returns the object that owns the associated values: `object` itself, or the representative of a class.
private func owner(_ object: Any) -> AnyObject {
  guard let type = object as? AnyClass else { return object as AnyObject }
  return ClassOwners.owner(of: type)
}

/// Represents a class, because classes are not objects without Objective-C.
private final class ClassOwner: Sendable {}

private enum ClassOwners {
  private static let all = Mutex<[ObjectIdentifier: ClassOwner]>([:])

  static func owner(of type: AnyClass) -> ClassOwner {
    all.withLock { owners in
      if let owner = owners[ObjectIdentifier(type)] { return owner }
      let owner = ClassOwner()
      owners[ObjectIdentifier(type)] = owner
      return owner
    }
  }
}

/// An associated value.
enum AssociatedValue {
  case kept(Any)
  case known(WeakReference)

  init(_ value: Any, _ policy: objc_AssociationPolicy) {
    switch policy {
    // Only an instance of a class can be referenced weakly. The box of another value would be
    // released immediately.
    case .OBJC_ASSOCIATION_ASSIGN where type(of: value) is AnyClass && !Self.isPlain(value):
      self = .known(WeakReference(value as AnyObject))
    case .OBJC_ASSOCIATION_COPY, .OBJC_ASSOCIATION_COPY_NONATOMIC:
      self = .kept((value as? any NSCopying)?.copy(with: nil) ?? value)
    default:
      self = .kept(value)
    }
  }

  /// Returns whether Apple's runtime mostly stores such a value in the pointer itself (a tagged pointer), so that the
  /// pointer never dangles.
  private static func isPlain(_ value: Any) -> Bool {
    value is NSNumber || value is NSString || value is NSDate
  }

  var value: Any? {
    switch self {
    case .kept(let value): value
    case .known(let reference): reference.object
    }
  }
}

/// The associated values of all objects by address.
///
/// A managed object removes its values when it is deallocated. For other objects, a weak reference
/// shows whether another object has the address by now.
enum AssociatedObjects {
  private struct Entry {
    /// nil for a managed object.
    let owner: WeakReference?
    var values: [UnsafeRawPointer: AssociatedValue] = [:]

    init(owner: AnyObject) {
      self.owner = owner is NSManagedObject ? nil : WeakReference(owner)
    }
  }

  /// The state that the lock protects.
  private struct Guarded: @unchecked Sendable {
    var entries: [ObjectIdentifier: Entry] = [:]
    /// How many more objects may receive values before the values of deallocated objects are removed. Counts
    /// objects rather than entries: an object that reuses the address of a deallocated one does not
    /// change the number of entries.
    var objectsToSweep = Self.leastObjectsToSweep

    static let leastObjectsToSweep = 64
  }

  private static let all = Mutex(Guarded())
  /// Whether a managed object ever got a value. If not, deallocating one needs no lookup.
  private static let concernsManagedObjects = Atomic(false)

  static func value(_ key: UnsafeRawPointer, of object: AnyObject) -> Any? {
    let found = all.withLock { table -> Sent<(AssociatedValue?, AnyObject?)> in
      let entry = table.entries[ObjectIdentifier(object)]
      let owner = entry?.owner.map(\.object) ?? object
      // The owner is returned so that it is released outside the lock, which its deallocation may
      // acquire.
      return Sent((owner === object ? entry?.values[key] : nil, owner))
    }
    return found.value.0?.value
  }

  static func set(_ value: AssociatedValue?, _ key: UnsafeRawPointer, of object: AnyObject) {
    // Set before the value is in the table, so that the object's deallocation cannot overlook the value.
    if object is NSManagedObject { concernsManagedObjects.store(true, ordering: .relaxed) }
    let arguments = Sent((value, key, object))
    let replaced = all.withLock { table -> Sent<([Entry], [AnyObject?])> in
      let (value, key, object) = arguments.value
      let known = table.entries[ObjectIdentifier(object)]
      if value == nil, known == nil { return Sent(([], [])) }
      var gone = known.map { [$0] } ?? []
      var seen = [known?.owner.map(\.object) ?? object]
      // The known entry may belong to another object, which has been deallocated.
      let present = seen[0] === object ? known : nil
      var entry = present ?? Entry(owner: object)
      entry.values[key] = value
      table.entries[ObjectIdentifier(object)] = entry.values.isEmpty ? nil : entry
      if present == nil { table.objectsToSweep -= 1 }
      if table.objectsToSweep <= 0 {
        for (address, entry) in table.entries {
          guard let owner = entry.owner else { continue }
          let object = owner.object
          seen.append(object)
          if object == nil {
            table.entries[address] = nil
            gone.append(entry)
          }
        }
        table.objectsToSweep = max(Guarded.leastObjectsToSweep, table.entries.count)
      }
      return Sent((gone, seen))
    }
    // Replaced values and looked-up objects are released outside the lock, because their
    // deallocation may access associated values, too.
    withExtendedLifetime(replaced) {}
  }

  static func removeAll(of object: AnyObject) { removeAll(ofObjectAt: ObjectIdentifier(object)) }

  /// Removes the values of a managed object. Call it at the end of the object's `deinit`.
  static func managedObjectIsDeallocating(_ object: NSManagedObject) {
    if !concernsManagedObjects.load(ordering: .relaxed) { return }
    let address = ObjectIdentifier(object)
    var removed: Any? = all.withLock { Sent($0.entries.removeValue(forKey: address)) }.value
    // The values may be managed objects that have associated values, too, so they are released without recursion.
    EndingReferences.release(&removed)
  }

  private static func removeAll(ofObjectAt address: ObjectIdentifier) {
    let removed = all.withLock { Sent($0.entries.removeValue(forKey: address)) }
    withExtendedLifetime(removed) {}
  }
}

/// Carries values into the lock and out of it.
private struct Sent<Value>: @unchecked Sendable {
  let value: Value
  init(_ value: Value) { self.value = value }
}
