import Synchronization

// Without messages by selector, Foundation has no observers that are objects: `addObserver(forName:…)` gives a token
// to keep. Sources for Apple's platforms have observers that end with the object, or when it is removed.

extension NotificationCenter {
  /// Has a method of an object called for notifications, as `addObserver(_:selector:name:object:)` has it with
  /// Objective-C.
  ///
  /// ```swift
  /// final class SaveCounter {
  ///   private(set) var saves = 0
  ///
  ///   init(of context: NSManagedObjectContext) {
  ///     NotificationCenter.default.addObserver(
  ///       self, calling: { counter, _ in counter.saves += 1 },
  ///       name: .NSManagedObjectContextDidSave, object: context)
  ///   }
  /// }
  /// ```
  ///
  /// It is called on the thread that posts. The center does not keep the object; once it has ended, or after
  /// `removeObserver(_:)`, nothing is called. `coredata port` writes this where a source says a selector.
  ///
  /// - Parameters:
  ///   - observer: Whose method is called.
  ///   - method: Calls it, with the object and the notification; it need not capture the object.
  ///   - name: The notifications' name; nil for all.
  ///   - object: Who posts them; nil for anybody.
  public func addObserver<Observer: AnyObject>(
    _ observer: Observer, calling method: @escaping (Observer, Notification) -> Void,
    name: Notification.Name?, object: Any?
  ) {
    let call = ObserverCall(observer, method)
    let token = addObserver(forName: name, object: object, queue: nil) { call.carryOut($0) }
    ObservingObjects.add(
      ObservingObjects.Entry(
        observer: WeakReference(observer), center: self, name: name,
        poster: object.map { ObjectIdentifier($0 as AnyObject) }, token: token),
      of: ObjectIdentifier(observer))
  }

  /// Ends all that an object observes here, or what a token stands for.
  public func removeObserver(_ observer: AnyObject) {
    ObservingObjects.remove(ObjectIdentifier(observer)) { $0.center === self }
    removeObserver(observer as Any)
  }

  /// Ends what an object observes here, or what a token stands for.
  ///
  /// - Parameters:
  ///   - observer: An object that was given to ``addObserver(_:calling:name:object:)``, or a token.
  ///   - name: The notifications' name; nil for all.
  ///   - object: Who posts them; nil for all, also those that are observed whoever posts.
  public func removeObserver(_ observer: AnyObject, name: Notification.Name?, object: Any?) {
    let poster = object.map { ObjectIdentifier($0 as AnyObject) }
    ObservingObjects.remove(ObjectIdentifier(observer)) { entry in
      entry.center === self && (name == nil || entry.name == name)
        && (poster == nil || entry.poster == poster)
    }
    removeObserver(observer as Any, name: name, object: object)
  }
}

/// Calls a method while there is its object. It is called wherever somebody posts, as with Objective-C.
private struct ObserverCall<Observer: AnyObject>: @unchecked Sendable {
  private weak var observer: Observer?
  private let method: (Observer, Notification) -> Void

  init(_ observer: Observer, _ method: @escaping (Observer, Notification) -> Void) {
    self.observer = observer
    self.method = method
  }

  func carryOut(_ notification: Notification) {
    if let observer { method(observer, notification) }
  }
}

/// What objects observe, by the objects' addresses: an object that removes itself in its `deinit` can be known by
/// nothing else.
private enum ObservingObjects {
  struct Entry: @unchecked Sendable {
    let observer: WeakReference
    weak var center: NotificationCenter?
    let name: Notification.Name?
    let poster: ObjectIdentifier?
    let token: any NSObjectProtocol

    /// No longer has anything called.
    func end() { center?.removeObserver(token as Any) }
  }

  /// The observers that were there when they were looked at.
  private struct Seen: @unchecked Sendable {
    private var objects: [AnyObject] = []

    mutating func has(_ entry: Entry) -> Bool {
      guard let object = entry.observer.object else { return false }
      objects.append(object)
      return true
    }
  }

  private struct Table: Sendable {
    var entries: [ObjectIdentifier: [Entry]] = [:]
    /// With as many objects those that have ended are taken away.
    var limit = Self.leastLimit

    static let leastLimit = 64
  }

  private static let all = Mutex(Table())

  /// What is looked at ends outside the lock: its end may remove it.
  static func add(_ entry: Entry, of observer: ObjectIdentifier) {
    let (gone, seen) = all.withLock { table -> ([Entry], Seen) in
      var gone: [Entry] = []
      var seen = Seen()
      // An object that ended without a word may have had the same address.
      let known = table.entries[observer, default: []].filter { known in
        if seen.has(known) { return true }
        gone.append(known)
        return false
      }
      table.entries[observer] = known + [entry]
      if table.entries.count >= table.limit {
        for (address, entries) in table.entries where !entries.contains(where: { seen.has($0) }) {
          gone += entries
          table.entries[address] = nil
        }
        table.limit = max(Table.leastLimit, 2 * table.entries.count)
      }
      return (gone, seen)
    }
    withExtendedLifetime(seen) { for entry in gone { entry.end() } }
  }

  static func remove(_ observer: ObjectIdentifier, where isMeant: (Entry) -> Bool) {
    let gone = all.withLock { table in
      guard let entries = table.entries[observer] else { return [Entry]() }
      let kept = entries.filter { !isMeant($0) }
      table.entries[observer] = kept.isEmpty ? nil : kept
      return entries.filter(isMeant)
    }
    for entry in gone { entry.end() }
  }
}
