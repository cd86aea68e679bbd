/// The objects that represent Swift values in C's variable arguments.
///
/// C functions print an argument as text, and Foundation can do so for only a few of its classes, so each
/// value is passed as an `NSString` with its description. A predicate that finds such a string among its
/// arguments uses the original value instead.
enum ArgumentObjects {
  private struct Entry {
    // Weak, so that the next cleanup removes the entry if the argument list that holds the string is gone.
    weak var object: NSString?
    let value: Any
  }

  private static let lock = NSLock()
  nonisolated(unsafe) private static var entries: [ObjectIdentifier: Entry] = [:]
  nonisolated(unsafe) private static var limit = 64

  /// Returns a string with the description of a value. The string represents the value as long as the string exists.
  static func object(for value: Any) -> NSString {
    let object = NSString(string: MessageText.description(of: value))
    lock.withLock {
      if entries.count >= limit {
        entries = entries.filter { $0.value.object != nil }
        // Doubling the limit keeps the average cost of the cleanup constant.
        limit = max(64, entries.count * 2)
      }
      entries[ObjectIdentifier(object)] = Entry(object: object, value: value)
    }
    return object
  }

  /// Returns the value that an argument represents, which is usually the argument itself.
  static func value(of object: AnyObject) -> Any {
    lock.withLock {
      // The address of a deallocated object may be reused.
      guard let entry = entries[ObjectIdentifier(object)], entry.object === object else {
        return object
      }
      return entry.value
    }
  }
}
