import Foundation

/// The tool behind the plugin `ManagedObjectClasses`.
@main
enum GeneratorTool {
  static func main() {
    do {
      let arguments = try CommandArguments(Array(CommandLine.arguments.dropFirst()))
      for warning in try Generation(arguments: arguments).run() { print(warning) }
    } catch {
      print("\(error)")
      exit(1)
    }
  }

  private static func print(_ text: String) {
    FileHandle.standardError.write(Data((text + "\n").utf8))
  }
}
