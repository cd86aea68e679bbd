/// Gives key paths names; see ``KeyPathNames/resolve(by:)``.
package protocol KeyPathResolving {
  /// Has itself asked from now on.
  static func install()
}

/// The names by which text knows Swift key paths: `\Person.name` is `"name"`.
///
/// A key path to a managed object's property has no name at run time; whoever makes such key
/// paths usable gives the way to find it.
package enum KeyPathNames {
  package typealias Resolver = @Sendable (AnyKeyPath) -> String?

  private static let lock = NSLock()
  nonisolated(unsafe) private static var names: [AnyKeyPath: String] = [:]
  nonisolated(unsafe) private static var resolver: Resolver?

  /// Makes a key path known by a name.
  package static func register(_ keyPath: AnyKeyPath, as name: String) {
    lock.withLock { names[keyPath] = name }
  }

  /// Sets the way to find the name of a key path that was not registered. What it finds is kept.
  package static func resolve(by resolver: @escaping Resolver) {
    lock.withLock { self.resolver = resolver }
  }

  /// Managed objects' resolver lies in a module above, and is asked for before anything of that module may
  /// have run: a sort descriptor is often older than the first container.
  private static let installation: Void = {
    (_typeByName("8CoreData12KeyPathProbeC") as? any KeyPathResolving.Type)?.install()
  }()

  /// The name of the key path from a value to itself; nil for another one.
  private static func identity(_ keyPath: AnyKeyPath) -> String? {
    let type = Swift.type(of: keyPath)
    guard type.rootType == type.valueType else { return nil }
    func path<Value>(_ value: Value.Type) -> AnyKeyPath { \Value.self }
    return path(type.rootType) == keyPath ? "self" : nil
  }

  /// The name of a key path; nil where nobody knows it.
  package static func name(of keyPath: AnyKeyPath) -> String? {
    _ = installation
    let (known, resolver) = lock.withLock { (names[keyPath], self.resolver) }
    if let known { return known }
    guard let found = keyPath._kvcKeyPathString ?? identity(keyPath) ?? resolver?(keyPath) else {
      return nil
    }
    register(keyPath, as: found)
    return found
  }
}
