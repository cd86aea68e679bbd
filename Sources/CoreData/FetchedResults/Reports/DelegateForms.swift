import Synchronization

/// Which of the protocol's optional methods a class of delegates has.
///
/// A method that a class does not have is answered by the protocol's default, which notes that here when it
/// is called the first time; from then on nothing is made for it and nobody calls it. So the first report
/// to the first delegate of a class finds out, whatever module the class or its conformance is from, and
/// no delegate is asked for anything that is not told to it.
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

  private static let classes = Mutex<[ObjectIdentifier: Capabilities]>([:])

  private let type: ObjectIdentifier
  private var capabilities: Capabilities

  init(of delegate: any NSFetchedResultsControllerDelegate) {
    let type = ObjectIdentifier(Swift.type(of: delegate))
    self.type = type
    capabilities = Self.classes.withLock { $0[type] ?? Capabilities() }
  }

  /// Called by the protocol's default for a method.
  static func noteMissing(_ form: Form, of delegate: any NSFetchedResultsControllerDelegate) {
    let type = ObjectIdentifier(Swift.type(of: delegate))
    classes.withLock { _ = $0[type, default: Capabilities()].missing.insert(form) }
  }

  /// Whether a method was called before, which determines whether the class has it.
  func isDetermined(_ form: Form) -> Bool { capabilities.called.isSuperset(of: form) }

  /// Whether the class may have a method; it is certain once the method was called.
  func mayHave(_ form: Form) -> Bool { capabilities.missing.isDisjoint(with: form) }

  /// Calls a method, unless the class does not have it.
  ///
  /// - Returns: whether the class has it.
  mutating func call(_ form: Form, _ body: () -> Void) -> Bool {
    guard mayHave(form) else { return false }
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
