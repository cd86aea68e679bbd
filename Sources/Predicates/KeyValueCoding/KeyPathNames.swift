/// A source of names for key paths; see ``KeyPathNames/resolve(by:)``.
package protocol KeyPathResolving {
  /// Installs the conforming type's resolver.
  static func install()
}

/// The names of Swift key paths: that of `\Person.name` is `"name"`.
///
/// The name of a key path to a managed object's property is unknown at run time. The module that declares
/// managed objects installs a resolver to find it.
package enum KeyPathNames {
  package typealias Resolver = @Sendable (AnyKeyPath) -> String?

  private static let lock = NSLock()
  nonisolated(unsafe) private static var names: [AnyKeyPath: String] = [:]
  nonisolated(unsafe) private static var resolver: Resolver?

  /// Registers the name of a key path.
  package static func register(_ keyPath: AnyKeyPath, as name: String) {
    lock.withLock { names[keyPath] = name }
  }

  /// Sets the function that finds the name of an unregistered key path. The names it returns are cached.
  package static func resolve(by resolver: @escaping Resolver) {
    lock.withLock { self.resolver = resolver }
  }

  /// The mangled name of the type that resolves key paths of managed objects.
  package static let resolverName = "8CoreData12KeyPathProbeC"

  /// Installs the resolver for managed objects, which is in a module above. A key path may need a name before any code
  /// of that module has run, because programs often create sort descriptors before the first container.
  private static let installation: Void = {
    (_typeByName(resolverName) as? any KeyPathResolving.Type)?.install()
  }()

  /// Returns the name of an identity key path, such as `\Person.self`; nil for any other.
  private static func identity(_ keyPath: AnyKeyPath) -> String? {
    let type = Swift.type(of: keyPath)
    guard type.rootType == type.valueType else { return nil }
    func path<Value>(_ value: Value.Type) -> AnyKeyPath { \Value.self }
    return path(type.rootType) == keyPath ? "self" : nil
  }

  /// Returns the name of a key path; nil if it is unknown.
  package static func name(of keyPath: AnyKeyPath) -> String? {
    _ = installation
    let (known, resolver) = lock.withLock { (names[keyPath], self.resolver) }
    if let known { return known }
    // Call the resolver outside the lock, because it runs code of another module.
    guard let found = keyPath._kvcKeyPathString ?? identity(keyPath) ?? resolver?(keyPath) else {
      return nil
    }
    // Cache the name only if it was found: a key path without a name may get one when a resolver is
    // installed.
    register(keyPath, as: found)
    return found
  }
}
