import Synchronization

// Apple's Objective-C runtime keeps values with objects; extensions of managed objects and of descriptions use
// that for what they cannot store. Source: "Associative References", objc/runtime.h.

/// How a value is kept with an object.
public enum objc_AssociationPolicy: UInt, Sendable {
  /// An object is kept weakly. Compared to Apple's: once it has ended, there is no value, where Apple's
  /// dangles. A value that is no object is kept, and so are numbers, texts and dates.
  case OBJC_ASSOCIATION_ASSIGN = 0
  case OBJC_ASSOCIATION_RETAIN_NONATOMIC = 1
  /// What can be copied (`NSCopying`) is.
  case OBJC_ASSOCIATION_COPY_NONATOMIC = 3
  case OBJC_ASSOCIATION_RETAIN = 0o1401
  case OBJC_ASSOCIATION_COPY = 0o1403
}

/// Keeps `value` with `object` under `key`, in place of what was kept there; nil takes that away. From any
/// thread, whatever the policy says of atomicity.
///
/// Compared to Apple's: when an object that is no managed object ends, its values are let go a little later, at the
/// latest when as many objects again have been given values, and its `deinit` finds them no more.
///
/// - Parameters:
///   - object: An instance of a class.
///   - key: An address that is the key's alone, of a global or static variable; it is not read.
public func objc_setAssociatedObject(
  _ object: Any, _ key: UnsafeRawPointer, _ value: Any?, _ policy: objc_AssociationPolicy
) {
  AssociatedObjects.set(value.map { AssociatedValue($0, policy) }, key, of: owner(object))
}

/// What was kept with `object` under `key`.
public func objc_getAssociatedObject(_ object: Any, _ key: UnsafeRawPointer) -> Any? {
  AssociatedObjects.value(key, of: owner(object))
}

/// Takes away all that was kept with `object`.
public func objc_removeAssociatedObjects(_ object: Any) {
  AssociatedObjects.removeAll(of: owner(object))
}

/// The object that values are kept with; a class has one, too.
private func owner(_ object: Any) -> AnyObject {
  guard let type = object as? AnyClass else { return object as AnyObject }
  return ClassOwners.owner(of: type)
}

/// Stands for the classes, which are no objects without Objective-C.
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

/// What is kept under a key.
enum AssociatedValue {
  case kept(Any)
  case known(WeakReference)

  init(_ value: Any, _ policy: objc_AssociationPolicy) {
    switch policy {
    case .OBJC_ASSOCIATION_ASSIGN where type(of: value) is AnyClass && !Self.isPlain(value):
      self = .known(WeakReference(value as AnyObject))
    case .OBJC_ASSOCIATION_COPY, .OBJC_ASSOCIATION_COPY_NONATOMIC:
      self = .kept((value as? any NSCopying)?.copy(with: nil) ?? value)
    default:
      self = .kept(value)
    }
  }

  /// What Apple's runtime holds in the reference itself, mostly, so that it never dangles.
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

/// The values of all objects, by the objects' addresses.
///
/// A managed object says when it ends. Of others a weak reference tells whether an address is another object's by now.
enum AssociatedObjects {
  private struct Entry {
    /// nil for a managed object.
    let owner: WeakReference?
    var values: [UnsafeRawPointer: AssociatedValue] = [:]

    init(owner: AnyObject) {
      self.owner = owner is NSManagedObject ? nil : WeakReference(owner)
    }
  }

  /// Carries what the lock guards.
  private struct Guarded: @unchecked Sendable {
    var entries: [ObjectIdentifier: Entry] = [:]
    /// After as many objects more the values of ended ones are taken away. Objects are counted rather than entries:
    /// one that takes the address of another that has ended leaves the number of entries as it is.
    var objectsToSweep = Self.leastObjectsToSweep

    static let leastObjectsToSweep = 64
  }

  private static let all = Mutex(Guarded())
  /// Whether a managed object was ever given a value: else none has to look when it ends.
  private static let concernsManagedObjects = Atomic(false)

  static func value(_ key: UnsafeRawPointer, of object: AnyObject) -> Any? {
    let found = all.withLock { table -> Sent<(AssociatedValue?, AnyObject?)> in
      let entry = table.entries[ObjectIdentifier(object)]
      let owner = entry?.owner.map(\.object) ?? object
      return Sent((owner === object ? entry?.values[key] : nil, owner))
    }
    return found.value.0?.value
  }

  /// What is replaced ends outside the lock, and so does what was looked at: their ends may ask for values, too.
  static func set(_ value: AssociatedValue?, _ key: UnsafeRawPointer, of object: AnyObject) {
    if object is NSManagedObject { concernsManagedObjects.store(true, ordering: .relaxed) }
    let arguments = Sent((value, key, object))
    let replaced = all.withLock { table -> Sent<([Entry], [AnyObject?])> in
      let (value, key, object) = arguments.value
      let known = table.entries[ObjectIdentifier(object)]
      if value == nil, known == nil { return Sent(([], [])) }
      var gone = known.map { [$0] } ?? []
      var seen = [known?.owner.map(\.object) ?? object]
      // What is known may be of another object, which has ended.
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
    withExtendedLifetime(replaced) {}
  }

  static func removeAll(of object: AnyObject) { removeAll(ofObjectAt: ObjectIdentifier(object)) }

  /// To be called when a managed object ends, after what its classes do then.
  static func managedObjectEnds(_ object: NSManagedObject) {
    if !concernsManagedObjects.load(ordering: .relaxed) { return }
    let address = ObjectIdentifier(object)
    var removed: Any? = all.withLock { Sent($0.entries.removeValue(forKey: address)) }.value
    // Values may be managed objects with values of their own, and so on.
    EndingReferences.release(&removed)
  }

  private static func removeAll(ofObjectAt address: ObjectIdentifier) {
    let removed = all.withLock { Sent($0.entries.removeValue(forKey: address)) }
    withExtendedLifetime(removed) {}
  }
}

/// What goes into the lock and out of it.
private struct Sent<Value>: @unchecked Sendable {
  let value: Value
  init(_ value: Value) { self.value = value }
}
