/// An error in a source or model, with its location, in the format of compilers.
struct SourceDiagnostic: Error, Hashable {
  /// A location in a file; lines and columns count from 1.
  struct Location: Hashable {
    var file: String
    var line: Int?
    var column: Int?
  }

  var location: Location
  var message: String
}

extension SourceDiagnostic: CustomStringConvertible {
  /// `/path/Person.swift:12:7: error: what is wrong`.
  var description: String {
    let numbers = [location.line, location.column].compactMap { $0 }.map { ":\($0)" }.joined()
    return "\(location.file)\(numbers): error: \(message)"
  }
}
