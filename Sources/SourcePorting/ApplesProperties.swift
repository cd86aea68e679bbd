/// The Objective-C names of properties of Apple's classes.
///
/// Boolean properties usually have a getter with a different name (`@property (getter=isHidden) BOOL hidden`), which
/// is the Swift name. Source: the Objective-C declarations in Apple's documentation, and Swift's "Using Swift with
/// Cocoa and Objective-C", "Key paths".
enum ApplesProperties {
  private static let ofManagedObjects: Set<String> = [
    "isInserted", "isUpdated", "isDeleted", "isFault",
  ]
  /// Boolean properties whose Objective-C names are their Swift names.
  private static let unchanged: Set<String> = ["isMainThread", "isAccessibilityElement"]

  /// Classes of Foundation whose names do not begin with NS.
  private static let foundations: Set<String> = [
    "BlockOperation", "Bundle", "DateFormatter", "FileHandle", "FileManager", "Formatter",
    "HTTPCookie", "HTTPURLResponse", "Host", "ISO8601DateFormatter", "InputStream",
    "NumberFormatter",
    "Operation", "OperationQueue", "OutputStream", "Pipe", "Port", "Process", "ProcessInfo",
    "Progress",
    "RunLoop", "Stream", "Thread", "Timer", "UndoManager", "UserDefaults",
  ]
  /// Prefixes of class names of other modules.
  private static let beginnings = [
    "AS", "AV", "CA", "CK", "CL", "CN", "EK", "GK", "HK", "MK", "MP", "MTK", "NW", "PDF", "PH",
    "PK", "SCN", "SF", "SK", "UI", "UN", "WC", "WK",
  ]

  /// Returns the key of a property that is not declared in the sources.
  ///
  /// - Parameter root: The last known superclass of the property's class.
  /// - Returns: Nil if the property may be Apple's and its key is not known.
  static func key(_ name: String, of root: String?) -> String? {
    guard let root, name.hasPrefix("is"), name.dropFirst(2).first?.isUppercase == true else {
      return name
    }
    if root == "NSManagedObject" { return ofManagedObjects.contains(name) ? plain(name) : name }
    // NSObject has no such property, so the property is from an extension in the program.
    if root == "NSObject" { return name }
    if root.hasPrefix("NS") || foundations.contains(root) {
      return unchanged.contains(name) ? name : plain(name)
    }
    return beginnings.contains { begins(root, with: $0) } ? nil : name
  }

  /// Returns `hidden` for `isHidden`, and `HTTPOnly` for `isHTTPOnly`.
  static func plain(_ name: String) -> String {
    let rest = name.dropFirst(2)
    if rest.dropFirst().first?.isUppercase == true { return String(rest) }
    return rest.prefix(1).lowercased() + rest.dropFirst()
  }

  /// Returns whether a name is a module's prefix followed by a word: `UIView`.
  private static func begins(_ name: String, with letters: String) -> Bool {
    guard name.hasPrefix(letters) else { return false }
    let rest = name.dropFirst(letters.count)
    return rest.first?.isUppercase == true && rest.dropFirst().first?.isUppercase != true
  }
}
