import CSwiftRuntime

/// Finds Swift classes by the names that models give them.
package enum ClassLookup {
  /// The class of a name with its module (`Shop.Person`), of one that is nested in other types
  /// (`Shop.Kinds.Person`), or of one in the program's own module (`Person`, `.Person`); nil where
  /// there is none.
  ///
  /// The program's module is taken to have the name of the running program, as it has unless the
  /// product was named otherwise.
  package static func type(named name: String) -> AnyClass? {
    let parts = name.split(separator: ".").map(String.init)
    guard let first = parts.first else { return nil }
    return type(at: parts.count > 1 ? parts : [programModule, first])
  }

  /// The only class derived from `NSObject` that has a name without a module (`Person`, `.Person`) anywhere in
  /// the program, as classes that are called `@objc(Person)` are on Apple's platforms; nil where there is
  /// none, and where there are several.
  package static func onlyType(named name: String) -> AnyClass? {
    let parts = name.split(separator: ".").map(String.init)
    guard parts.count == 1 else { return nil }
    let found = (modules[parts[0]] ?? []).compactMap { type(at: [$0, parts[0]]) }
      .filter { $0 is NSObject.Type }
    return found.count == 1 ? found[0] : nil
  }

  /// The modules with a class of a name. Classes of libraries that are loaded later are not among them.
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
    // The name under which the runtime knows a class: its module's and its own, with lengths, and
    // what kind of type each is, of which the name does not tell.
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

  /// As many types around a class are tried; each has three kinds.
  private static let mostLevels = 4

  private static func mangled(_ name: String) -> String { "\(name.utf8.count)\(name)" }

  private static var programModule: String {
    ProcessInfo.processInfo.processName.replacingOccurrences(of: "-", with: "_")
  }
}
