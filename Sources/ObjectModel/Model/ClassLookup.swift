import CSwiftRuntime
import Foundation

/// Finds Swift classes by the names that models give them.
package enum ClassLookup {
  /// The class of a name with its module (`Shop.Person`), of one that is nested in other types
  /// (`Shop.Kinds.Person`), or of one without its module (`Person`, `.Person`), as classes that are called
  /// `@objc(Person)` are on Apple's platforms; nil where there is none.
  ///
  /// Without a module the class is in the module that has the name of the running program, or the only
  /// class derived from `NSObject` of this name anywhere in the program.
  package static func type(named name: String) -> AnyClass? {
    let parts = name.split(separator: ".").map(String.init)
    guard let first = parts.first else { return nil }
    if parts.count > 1 { return type(at: parts) }
    if let found = type(at: [programModule, first]) { return found }
    let found = (modules[first] ?? []).compactMap { type(at: [$0, first]) }
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
