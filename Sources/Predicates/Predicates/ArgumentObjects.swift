/// The objects by which values of Swift travel in C's variable arguments, and the values that they
/// stand for.
///
/// Functions of C print an argument as text, and Foundation can do so only with few of its classes,
/// so each value travels as an `NSString`. A predicate that finds such a string among its arguments
/// takes the value itself.
enum ArgumentObjects {
  private struct Entry {
    weak var object: NSString?
    let value: Any
  }

  private static let lock = NSLock()
  nonisolated(unsafe) private static var entries: [ObjectIdentifier: Entry] = [:]
  nonisolated(unsafe) private static var limit = 64

  /// The text of a value, which stands for the value as long as it lives.
  static func object(for value: Any) -> NSString {
    let object = NSString(string: MessageText.description(of: value))
    lock.withLock {
      if entries.count >= limit {
        entries = entries.filter { $0.value.object != nil }
        limit = max(64, entries.count * 2)
      }
      entries[ObjectIdentifier(object)] = Entry(object: object, value: value)
    }
    return object
  }

  /// The value that an argument stands for: most stand for themselves.
  static func value(of object: AnyObject) -> Any {
    lock.withLock {
      // An address is used again when an object has died.
      guard let entry = entries[ObjectIdentifier(object)], entry.object === object else {
        return object
      }
      return entry.value
    }
  }
}
