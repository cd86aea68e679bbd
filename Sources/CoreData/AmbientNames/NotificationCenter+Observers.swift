import Synchronization

// Without Objective-C there are no selectors, so Foundation's `NotificationCenter` calls only blocks, and the program
// must keep the token of each observation. Programs for Apple's platforms register objects as observers, and an
// observation ends when its object is freed or removed.

extension NotificationCenter {
  /// Calls a method of an object for each notification, as `addObserver(_:selector:name:object:)` does with
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
  /// The method is called on the posting thread. The center does not retain the observer, and stops calling it once
  /// the observer is freed or removed with `removeObserver(_:)` or `removeObserver(_:name:object:)`. `coredata port`
  /// replaces a call that passes a selector with a call to this method.
  ///
  /// - Parameters:
  ///   - observer: The object whose method is called.
  ///   - method: A closure that calls the method. It receives the observer and the notification, so it need not capture
  ///     the observer.
  ///   - name: The name of the notifications; nil for all names.
  ///   - object: The poster of the notifications; nil for all posters.
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

  /// Ends all observations of an object in this center, or the observation of a token.
  public func removeObserver(_ observer: AnyObject) {
    ObservingObjects.remove(ObjectIdentifier(observer)) { $0.center === self }
    // `as Any` selects Foundation's method, which ends the observation of a token. Without it, this
    // method would call itself.
    removeObserver(observer as Any)
  }

  /// Ends observations of an object in this center, or the observation of a token.
  ///
  /// - Parameters:
  ///   - observer: An object that was passed to ``addObserver(_:calling:name:object:)``, or a token.
  ///   - name: The name of the notifications; nil to end the observations of all names.
  ///   - object: The poster of the notifications; nil to end the observations of all posters.
  public func removeObserver(_ observer: AnyObject, name: Notification.Name?, object: Any?) {
    let poster = object.map { ObjectIdentifier($0 as AnyObject) }
    ObservingObjects.remove(ObjectIdentifier(observer)) { entry in
      entry.center === self && (name == nil || entry.name == name)
        && (poster == nil || entry.poster == poster)
    }
    removeObserver(observer as Any, name: name, object: object)
  }
}

/// Calls a method while its object exists. The call is made on the posting thread, as with Objective-C.
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

/// The observations by the address of the observer. An object that removes itself in its `deinit` can only be found
/// by its address.
private enum ObservingObjects {
  struct Entry: @unchecked Sendable {
    let observer: WeakReference
    weak var center: NotificationCenter?
    let name: Notification.Name?
    let poster: ObjectIdentifier?
    let token: any NSObjectProtocol

    /// Ends the observation.
    func end() { center?.removeObserver(token as Any) }
  }

  /// Keeps the checked observers alive until the lock is released, because the `deinit` of an observer may acquire it.
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
    /// The number of observers at which the entries of freed observers are removed.
    var limit = Self.leastLimit

    static let leastLimit = 64
  }

  private static let all = Mutex(Table())

  /// Adds an observation, and removes those of freed observers.
  static func add(_ entry: Entry, of observer: ObjectIdentifier) {
    let (gone, seen) = all.withLock { table -> ([Entry], Seen) in
      var gone: [Entry] = []
      var seen = Seen()
      // A new observer may have the address of one that was freed without being removed.
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
        // Because the limit doubles, these scans cost amortized constant time per added observer.
        table.limit = max(Table.leastLimit, 2 * table.entries.count)
      }
      return (gone, seen)
    }
    // This happens outside the lock, because releasing an observer may run its `deinit`, which may
    // call `remove`.
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
