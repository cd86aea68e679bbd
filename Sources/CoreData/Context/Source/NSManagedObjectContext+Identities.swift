import Foundation

// Temporary IDs are the same in a parent and its children, and become permanent in all of them.

extension NSManagedObjectContext {
  /// Tells live results and children that unsaved objects got their permanent IDs.
  func tellIdentities(_ identities: [Identity], _ objects: [(NSManagedObject, Int64)]) {
    if identities.isEmpty { return }
    let keys = objects.map { (object: $0.0, temporary: $0.1) }
    if !keys.isEmpty {
      observers.forEach { $0.objectsDidGetPermanentIDs(keys) }
    }
    for child in children.current {
      child.newIdentities.add(identities)
      child.perform { [weak child] in child?.takeOverIdentities() }
    }
  }

  /// Gives objects the IDs that they got in the parent. On this context's queue, or while it waits.
  func takeOverIdentities() {
    if isChild { takeOverNewIdentities() }
  }

  func takeOverNewIdentities() {
    let identities = newIdentities.takeAll()
    if identities.isEmpty { return }
    var objects: [(NSManagedObject, Int64)] = []
    var permanent: [Int64: Identity] = [:]
    // A child that asked for them is given them twice: by its parent, and as the answer.
    for identity in identities
    where permanent.updateValue(identity, forKey: identity.temporary) == nil {
      if let object = registry[identity.layout, identity.temporary, .temporary] {
        objects.append((object, identity.temporary))
        identify(object, key: identity.key, origin: identity.origin)
      } else if observers.show(identity.temporary, .temporary) {
        let id = NSManagedObjectID(
          layout: identity.layout, key: identity.key, origin: identity.origin)
        objects.append((self.object(with: id), identity.temporary))
      }
    }
    temporaryReferrers.resolve(permanent)
    tellIdentities(identities, objects)
  }

  /// Keeps in mind an object whose row refers to an object that has no permanent ID yet.
  func noteTemporaryReferences(of object: NSManagedObject) {
    if object.snapshot.hasTemporaryReferences { temporaryReferrers.insert(object) }
  }

  func permanentIdentities(
    for objects: [NSManagedObject], of reader: NSManagedObjectContext
  ) throws -> [Identity] {
    guard let source else { throw noCoordinator }
    return try queue.sync {
      reader.takeOverIdentities()
      let unsaved = objects.filter { $0.identifiedKey < 0 }
      // What the child saved is an object of this context, which knows what store it was assigned to.
      let own = unsaved.compactMap { registry[$0.layout, $0.identifiedKey, .temporary] }
      let keys = Set(own.map(\.identifiedKey))
      let others = unsaved.filter { !keys.contains($0.identifiedKey) }
      var identities: [Identity] = []
      for objects in [own, others] where !objects.isEmpty {
        identities += try source.permanentIdentities(for: objects, of: self)
      }
      newIdentities.add(identities)
      takeOverNewIdentities()
      return identities
    }
  }
}

/// Objects whose rows refer to objects without a permanent ID, held weakly.
struct TemporaryReferrers {
  private var objects: [ObjectIdentifier: Entry] = [:]
  private var sweepAt = 1024

  private struct Entry { weak var object: NSManagedObject? }

  mutating func insert(_ object: NSManagedObject) {
    objects[ObjectIdentifier(object)] = Entry(object: object)
    if objects.count >= sweepAt {
      objects = objects.filter { $0.value.object != nil }
      sweepAt = max(1024, objects.count * 2)
    }
  }

  /// Puts permanent IDs into the rows; objects that still refer to temporary ones stay.
  mutating func resolve(_ permanent: [Int64: Identity]) {
    objects = objects.filter { $0.value.object?.resolveReferences(permanent) ?? false }
  }
}

/// Identities on their way from a parent to a child; written on the parent's queue, read on the
/// child's.
final class IdentityBox: @unchecked Sendable {
  private let lock = NSLock()
  private var identities: [Identity] = []

  func add(_ new: [Identity]) { lock.withLock { identities += new } }

  func takeAll() -> [Identity] {
    lock.withLock {
      defer { identities = [] }
      return identities
    }
  }
}

extension RowSnapshot {
  /// Whether values that were saved refer to objects without a permanent ID.
  fileprivate var hasTemporaryReferences: Bool {
    guard case .values(let values, _) = self else { return false }
    return values.contains { if case .reference(let id) = $0 { id.key < 0 } else { false } }
  }
}

extension NSManagedObject {
  /// Puts permanent IDs into the row; true when some reference is still temporary.
  fileprivate func resolveReferences(_ permanent: [Int64: Identity]) -> Bool {
    guard case .values(let saved, let version) = snapshot else { return false }
    let values = saved.map { value -> StoredValue in
      guard case .reference(let id) = value, let identity = permanent[id.key] else { return value }
      return .reference(
        NSManagedObjectID(layout: identity.layout, key: identity.key, origin: identity.origin))
    }
    snapshot = .values(values, version)
    return snapshot.hasTemporaryReferences
  }
}
