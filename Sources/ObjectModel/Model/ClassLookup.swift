import Foundation

/// Finds Swift classes by the names that models give them.
package enum ClassLookup {
  /// The class of a name with its module (`Shop.Person`), or of one in the program's own module
  /// (`Person`, `.Person`); nil where there is none.
  ///
  /// The program's module is taken to have the name of the running program, as it has unless the
  /// product was named otherwise.
  package static func type(named name: String) -> AnyClass? {
    let parts = name.split(separator: ".").map(String.init)
    guard !parts.isEmpty else { return nil }
    let path = parts.count > 1 ? parts : [programModule] + parts
    // The name under which the runtime knows a class: its module's and its own, with lengths.
    let mangled = path.map { "\($0.utf8.count)\($0)" }.joined() + "C"
    return _typeByName(mangled) as? AnyClass
  }

  private static var programModule: String {
    ProcessInfo.processInfo.processName.replacingOccurrences(of: "-", with: "_")
  }
}
