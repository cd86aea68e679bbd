import Foundation
import Synchronization

// Apple's Objective-C runtime keeps values with objects; extensions of managed objects and of descriptions use
// that for what they cannot store. Source: "Associative References", objc/runtime.h.

/// How a value is kept with an object.
public enum objc_AssociationPolicy: UInt, Sendable {
  /// An object is kept weakly. Compared to Apple's: once it has ended, there is no value, where Apple's
  /// dangles. A value that is no object is kept.
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
/// Compared to Apple's: when an object ends its values are let go a little later, at the latest when as many
/// objects again have been given values.
///
/// - Parameters:
///   - object: An instance of a class.
///   - key: An address that is the key's alone, of a global or static variable; it is not read.
public func objc_setAssociatedObject(
  _ object: Any, _ key: UnsafeRawPointer, _ value: Any?, _ policy: objc_AssociationPolicy
) {
  AssociatedObjects.set(value.map { AssociatedValue($0, policy) }, key, of: object as AnyObject)
}

/// What was kept with `object` under `key`.
public func objc_getAssociatedObject(_ object: Any, _ key: UnsafeRawPointer) -> Any? {
  AssociatedObjects.value(key, of: object as AnyObject)
}

/// Takes away all that was kept with `object`.
public func objc_removeAssociatedObjects(_ object: Any) {
  AssociatedObjects.removeAll(of: object as AnyObject)
}

/// What is kept under a key.
private enum AssociatedValue {
  case kept(Any)
  case known(WeakReference)

  init(_ value: Any, _ policy: objc_AssociationPolicy) {
    switch policy {
    case .OBJC_ASSOCIATION_ASSIGN where type(of: value) is AnyClass:
      self = .known(WeakReference(value as AnyObject))
    case .OBJC_ASSOCIATION_COPY, .OBJC_ASSOCIATION_COPY_NONATOMIC:
      self = .kept((value as? any NSCopying)?.copy(with: nil) ?? value)
    default:
      self = .kept(value)
    }
  }

  var value: Any? {
    switch self {
    case .kept(let value): value
    case .known(let reference): reference.object
    }
  }
}

private struct WeakReference {
  weak var object: AnyObject?
  init(_ object: AnyObject) { self.object = object }
}

/// The values of all objects, by the objects' addresses. An address is another object's once its object has ended:
/// a weak reference tells.
private struct AssociatedObjects {
  private struct Entry {
    let owner: WeakReference
    var values: [UnsafeRawPointer: AssociatedValue] = [:]
  }

  /// Carries what the lock guards.
  private struct Guarded: @unchecked Sendable {
    var entries: [ObjectIdentifier: Entry] = [:]
    /// With as many entries those of ended objects are taken away.
    var limit = Self.leastLimit

    static let leastLimit = 64
  }

  private static let all = Mutex(Guarded())

  static func value(_ key: UnsafeRawPointer, of object: AnyObject) -> Any? {
    let found = all.withLock { table -> Sent<AssociatedValue?> in
      let entry = table.entries[ObjectIdentifier(object)]
      return Sent(entry?.owner.object === object ? entry?.values[key] : nil)
    }
    return found.value?.value
  }

  /// What is replaced ends outside the lock: its end may ask for values, too.
  static func set(_ value: AssociatedValue?, _ key: UnsafeRawPointer, of object: AnyObject) {
    let arguments = Sent((value, key, object))
    let replaced = all.withLock { table -> Sent<[Entry]> in
      let (value, key, object) = arguments.value
      let known = table.entries[ObjectIdentifier(object)]
      if value == nil, known == nil { return Sent([]) }
      var gone = known.map { [$0] } ?? []
      var entry = known ?? Entry(owner: WeakReference(object))
      if entry.owner.object !== object { entry = Entry(owner: WeakReference(object)) }
      entry.values[key] = value
      table.entries[ObjectIdentifier(object)] = entry.values.isEmpty ? nil : entry
      if table.entries.count >= table.limit {
        let ended = table.entries.filter { $0.value.owner.object == nil }
        for address in ended.keys { table.entries[address] = nil }
        gone += ended.values
        table.limit = max(Guarded.leastLimit, 2 * table.entries.count)
      }
      return Sent(gone)
    }
    withExtendedLifetime(replaced) {}
  }

  static func removeAll(of object: AnyObject) {
    let address = ObjectIdentifier(object)
    let removed = all.withLock { Sent($0.entries.removeValue(forKey: address)) }
    withExtendedLifetime(removed) {}
  }
}

/// What goes into the lock and out of it.
private struct Sent<Value>: @unchecked Sendable {
  let value: Value
  init(_ value: Value) { self.value = value }
}
