/// What Objective-C calls properties of Apple's classes.
///
/// Those that are truth values mostly have a getter of another name there (`@property (getter=isHidden) BOOL
/// hidden`), and Swift has the getter's. Source: the declarations in Objective-C on the pages of Apple's documentation,
/// and Swift's "Using Swift with Cocoa and Objective-C", "Key paths".
enum ApplesProperties {
  private static let ofManagedObjects: Set<String> = [
    "isInserted", "isUpdated", "isDeleted", "isFault",
  ]
  /// Those that have their name in Objective-C, too.
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
  /// How names of classes begin that are other modules'.
  private static let beginnings = [
    "AS", "AV", "CA", "CK", "CL", "CN", "EK", "GK", "HK", "MK", "MP", "MTK", "NW", "PDF", "PH",
    "PK", "SCN", "SF", "SK", "UI", "UN", "WC", "WK",
  ]

  /// The key of a property that a class has from where no source is.
  ///
  /// - Parameter root: the last of the classes that it derives from, as far as sources tell.
  /// - Returns: nil where it is Apple's and not known.
  static func key(_ name: String, of root: String?) -> String? {
    guard let root, name.hasPrefix("is"), name.dropFirst(2).first?.isUppercase == true else {
      return name
    }
    if root == "NSManagedObject" { return ofManagedObjects.contains(name) ? plain(name) : name }
    // What derives from nothing else has them from extensions.
    if root == "NSObject" { return name }
    if root.hasPrefix("NS") || foundations.contains(root) {
      return unchanged.contains(name) ? name : plain(name)
    }
    return beginnings.contains { begins(root, with: $0) } ? nil : name
  }

  /// `hidden` of `isHidden`, and `HTTPOnly` of `isHTTPOnly`.
  static func plain(_ name: String) -> String {
    let rest = name.dropFirst(2)
    if rest.dropFirst().first?.isUppercase == true { return String(rest) }
    return rest.prefix(1).lowercased() + rest.dropFirst()
  }

  /// Whether a name is letters of a module, and a word behind them: `UIView`.
  private static func begins(_ name: String, with letters: String) -> Bool {
    guard name.hasPrefix(letters) else { return false }
    let rest = name.dropFirst(letters.count)
    return rest.first?.isUppercase == true && rest.dropFirst().first?.isUppercase != true
  }
}
