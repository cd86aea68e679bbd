import CSwiftRuntime

/// Finds Swift classes by the names in models.
package enum ClassLookup {
  /// Returns the class with a name; nil if there is none. The name may include the module (`Shop.Person`) and enclosing
  /// types (`Shop.Kinds.Person`); one without a module (`Person`, `.Person`) is in the program's own module.
  ///
  /// The program's module is assumed to have the name of the running program, which is true unless the names
  /// of the product and its target differ.
  package static func type(named name: String) -> AnyClass? {
    let parts = name.split(separator: ".").map(String.init)
    guard let first = parts.first else { return nil }
    return type(at: parts.count > 1 ? parts : [programModule, first])
  }

  /// Searches all modules of the program for a class by its name without a module (`Person`, `.Person`). On Apple's
  /// platforms, a class declared as `@objc(Person)` is found this way.
  ///
  /// - Returns: The class; nil unless exactly one class derived from `NSObject` has the name.
  package static func onlyType(named name: String) -> AnyClass? {
    let parts = name.split(separator: ".").map(String.init)
    guard parts.count == 1 else { return nil }
    let found = (modules[parts[0]] ?? []).compactMap { type(at: [$0, parts[0]]) }
      .filter { $0 is NSObject.Type }
    // Of several classes with the same name, any could be the wrong one.
    return found.count == 1 ? found[0] : nil
  }

  /// The modules that contain a class with a name. Libraries that are loaded later are not included.
  private static let modules: [String: Set<String>] = {
    final class Names { var modules: [String: Set<String>] = [:] }
    let names = Names()
    each_class_name(
      { module, name, context in
        guard let module, let name, let context else { return }
        let names = Unmanaged<Names>.fromOpaque(context).takeUnretainedValue()
        names.modules[String(cString: name), default: []].insert(String(cString: module))
      }, Unmanaged.passUnretained(names).toOpaque())
    return names.modules
  }()

  private static func type(at path: [String]) -> AnyClass? {
    // The runtime's name of a class consists of the names of its module, its enclosing types and the class, each after
    // its length. Each type is followed by a letter for its kind, which the name in the model lacks, so try all kinds.
    var names = [mangled(path[0])]
    for part in path.dropFirst().dropLast().prefix(mostLevels) {
      names = names.flatMap { outer in ["C", "V", "O"].map { outer + mangled(part) + $0 } }
    }
    for outer in names {
      if let found = _typeByName(outer + mangled(path[path.count - 1]) + "C") as? AnyClass {
        return found
      }
    }
    return nil
  }

  /// The maximum number of enclosing types. Each has three possible kinds.
  private static let mostLevels = 4

  private static func mangled(_ name: String) -> String { "\(name.utf8.count)\(name)" }

  private static var programModule: String {
    // A module's name cannot contain hyphens, so the package manager replaces those of a product's
    // name.
    ProcessInfo.processInfo.processName.replacingOccurrences(of: "-", with: "_")
  }
}
