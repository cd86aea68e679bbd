import Foundation

/// Without arguments, runs the operations, whose instructions Callgrind counts. With `compare LABELS DUMPS RATIOS`,
/// compares the ratios of these counts with the stored ratios, or stores them if `--update` follows.
@main enum SpeedGate {
  static func main() {
    do {
      let arguments = Array(CommandLine.arguments.dropFirst())
      guard arguments.first == "compare" else {
        for operation in Operations.all { try operation.run() }
        return
      }
      guard arguments.count >= 4 else { throw GateError("compare LABELS DUMPS RATIOS [--update]") }
      let ratios = try Ratios(labels: URL(fileURLWithPath: arguments[1]), dumps: arguments[2])
      let stored = URL(fileURLWithPath: arguments[3])
      if arguments.contains("--update") {
        try ratios.write(to: stored)
      } else if try !ratios.hold(against: stored) {
        exit(1)
      }
    } catch {
      FileHandle.standardError.write(Data("speed gate: \(error)\n".utf8))
      exit(1)
    }
  }
}

/// The reason why the gate could not measure.
struct GateError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
