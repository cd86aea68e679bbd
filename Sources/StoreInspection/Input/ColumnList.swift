/// The list of columns in the option `--columns`, or in a URL of the explorer.
package enum ColumnList {
  /// Parses `name,age,team.name`: keys and key paths in the order of the output.
  ///
  /// - Parameter parameter: The name of the option or parameter, for errors.
  package static func parse(
    _ text: String, named parameter: String = "--columns"
  ) throws(Diagnostic) -> [String] {
    var names: [String] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let name = part.trimmingBlanks()
      guard !name.isEmpty else {
        throw Diagnostic(
          .usage, "\(parameter) '\(text)' has an empty name",
          details: ["Separate names with commas: name,age,team.name"])
      }
      names.append(String(name))
    }
    return names
  }
}
