import Synchronization

/// Records which optional methods of the delegate protocol the class of a delegate implements.
///
/// If a class does not implement a method, the protocol's default implementation is called instead and records this.
/// From then on, the controller prepares nothing for this method and does not call it. So the first report to the first
/// delegate of a class finds out which methods it implements, whichever module defines the class or conformance.
struct DelegateForms {
  struct Form: OptionSet {
    let rawValue: UInt8
    static let snapshot = Form(rawValue: 1)
    static let difference = Form(rawValue: 2)
    static let section = Form(rawValue: 4)
    static let row = Form(rawValue: 8)
  }

  private struct Capabilities {
    var called: Form = []
    var missing: Form = []
  }

  // Without Objective-C's `responds(to:)`, only a call shows whether a class has its own method.
  private static let classes = Mutex<[ObjectIdentifier: Capabilities]>([:])

  private let type: ObjectIdentifier
  private var capabilities: Capabilities

  init(of delegate: any NSFetchedResultsControllerDelegate) {
    let type = ObjectIdentifier(Swift.type(of: delegate))
    self.type = type
    capabilities = Self.classes.withLock { $0[type] ?? Capabilities() }
  }

  /// Records that a delegate does not implement a method. Called by the method's default implementation.
  static func recordMissing(_ form: Form, of delegate: any NSFetchedResultsControllerDelegate) {
    let type = ObjectIdentifier(Swift.type(of: delegate))
    classes.withLock { _ = $0[type, default: Capabilities()].missing.insert(form) }
  }

  /// Returns whether a method was called before, so that it is certain whether the class implements it.
  func isDetermined(_ form: Form) -> Bool { capabilities.called.isSuperset(of: form) }

  /// Returns whether the class may implement a method. This is certain after the method was called once.
  func mayHave(_ form: Form) -> Bool { capabilities.missing.isDisjoint(with: form) }

  /// Calls a method, unless the class does not implement it.
  ///
  /// - Returns: Whether the class implements it.
  mutating func call(_ form: Form, _ body: () -> Void) -> Bool {
    guard mayHave(form) else { return false }
    // The method is called outside of the lock, because its default implementation acquires the
    // lock in `recordMissing`.
    body()
    if !isDetermined(form) {
      let type = type
      capabilities = Self.classes.withLock { classes in
        _ = classes[type, default: Capabilities()].called.insert(form)
        return classes[type] ?? Capabilities()
      }
    }
    return mayHave(form)
  }
}
