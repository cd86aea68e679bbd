extension ValueTransformer {
  /// Registers a transformer under a name, in place of the one before; nil takes that one away.
  ///
  /// May be called on any thread. Do it before the stores are opened whose attributes name it.
  public class func setValueTransformer(
    _ transformer: ValueTransformer?, forName name: NSValueTransformerName
  ) {
    registry.set(transformer, for: name)
  }

  /// The transformer of a name: the one that was registered, else an instance of the class of that
  /// name, which is registered by it.
  ///
  /// A class is found by its name with the module (`Shop.ColorTransformer`), or without one in the
  /// program's own module. Nil where there is no transformer of that name.
  public convenience init?(forName name: NSValueTransformerName) {
    guard let known = Self.registered(name) as? Self else { return nil }
    self.init(_replacing: known)
  }

  /// The names under which transformers are registered, sorted.
  public class func valueTransformerNames() -> [NSValueTransformerName] { registry.names }

  private static let registry = Registry()

  private static func registered(_ name: NSValueTransformerName) -> ValueTransformer? {
    if let known = registry.transformer(name) { return known }
    // This module's class is known by its name alone, as Foundation's is; and by that of the constant, which
    // models say that were made with the constant's name in mind (PredicateKit's, for one).
    let type: ValueTransformer.Type? =
      ["NSSecureUnarchiveFromDataTransformer", "NSSecureUnarchiveFromDataTransformerName"]
        .contains(name.rawValue)
      ? NSSecureUnarchiveFromDataTransformer.self
      : (ClassLookup.type(named: name.rawValue) ?? ClassLookup.onlyType(named: name.rawValue))
        as? ValueTransformer.Type
    return type.map { registry.add($0.init(), for: name) }
  }

  private final class Registry: @unchecked Sendable {
    private let lock = NSLock()
    private var transformers: [NSValueTransformerName: ValueTransformer] = [
      .negateBooleanTransformerName: NegatingTransformer(),
      .isNilTransformerName: NilTransformer(isNil: true),
      .isNotNilTransformerName: NilTransformer(isNil: false),
      .keyedUnarchiveFromDataTransformerName: NSSecureUnarchiveFromDataTransformer(),
      .secureUnarchiveFromDataTransformerName: NSSecureUnarchiveFromDataTransformer(),
    ]

    var names: [NSValueTransformerName] {
      lock.withLock { transformers.keys.sorted { $0.rawValue.isBefore($1.rawValue) } }
    }

    func transformer(_ name: NSValueTransformerName) -> ValueTransformer? {
      lock.withLock { transformers[name] }
    }

    func set(_ transformer: ValueTransformer?, for name: NSValueTransformerName) {
      lock.withLock { transformers[name] = transformer }
    }

    /// Registers a transformer unless another thread has been faster; gives the registered one.
    func add(
      _ transformer: ValueTransformer, for name: NSValueTransformerName
    ) -> ValueTransformer {
      lock.withLock {
        if let known = transformers[name] { return known }
        transformers[name] = transformer
        return transformer
      }
    }
  }
}
