extension ValueTransformer {
  /// Registers a transformer under a name and replaces the previous one; nil removes the registered one.
  ///
  /// May be called on any thread. Register transformers before opening stores whose attributes use them.
  ///
  /// ```swift
  /// final class TrimmingTransformer: ValueTransformer {
  ///   override func transformedValue(_ value: Any?) -> Any? {
  ///     (value as? String)?.trimmingCharacters(in: .whitespaces)
  ///   }
  /// }
  /// let name = NSValueTransformerName("Trimming")
  /// ValueTransformer.setValueTransformer(TrimmingTransformer(), forName: name)
  /// ```
  public class func setValueTransformer(
    _ transformer: ValueTransformer?, forName name: NSValueTransformerName
  ) {
    registry.set(transformer, for: name)
  }

  /// Returns the transformer with a name: the registered one, otherwise a new instance of the class with that
  /// name, which is then registered. Returns nil if there is neither, or if the transformer is not an instance of the
  /// class whose initializer is called.
  ///
  /// A class is found by its name with its module (`Shop.ColorTransformer`). A name without a module refers to a class
  /// of the program's own module or, if there is none, to the only class with this name in the program.
  public convenience init?(forName name: NSValueTransformerName) {
    guard let known = Self.registered(name) as? Self else { return nil }
    self.init(_replacing: known)
  }

  /// Returns the names of all registered transformers, sorted.
  public class func valueTransformerNames() -> [NSValueTransformerName] { registry.names }

  private static let registry = Registry()

  private static func registered(_ name: NSValueTransformerName) -> ValueTransformer? {
    if let known = registry.transformer(name) { return known }
    // Like Foundation's class, this module's class is found by its name without a module. Some models, such as
    // PredicateKit's, contain the name of Apple's constant instead of its value.
    let type: ValueTransformer.Type? =
      ["NSSecureUnarchiveFromDataTransformer", "NSSecureUnarchiveFromDataTransformerName"]
        .contains(name.rawValue)
      ? NSSecureUnarchiveFromDataTransformer.self
      : (ClassLookup.type(named: name.rawValue) ?? ClassLookup.onlyType(named: name.rawValue))
        as? ValueTransformer.Type
    // Created outside the registry's lock, because the initializer is the program's code.
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

    /// Registers a transformer unless another thread was faster. Returns the registered one.
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
