import Foundation

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
    guard !parts.isEmpty else { return nil }
    let path = parts.count > 1 ? parts : [programModule] + parts
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
