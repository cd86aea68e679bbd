import Foundation

/// The Python library that the benchmarks compare with, because it also collects changes of objects and saves them
/// together (a unit of work).
enum SQLAlchemy {
  static let name = "SQLAlchemy"

  /// The path of the Python that has SQLAlchemy; nil if it could not be installed.
  private static let python = ProcessInfo.processInfo.environment["OPENCOREDATA_BENCHMARK_PYTHON"]

  /// The peer's name, or none if it could not be installed.
  static var peers: [String] { python == nil ? [] : [name] }

  /// Runs the peer's program on the file of a store, and records the time that the program prints.
  ///
  /// - Parameter argument: The number of rows or departments.
  static func run(
    _ work: String, _ argument: Int, items: Int, in file: URL, _ lap: Lap
  ) throws -> Int {
    let (process, output) = (Process(), Pipe())
    process.executableURL = URL(fileURLWithPath: python ?? "python3")
    process.arguments = ["Peers/sqlalchemy_peer.py", work, file.path, String(argument)]
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard let time = Double(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
      throw FloorDatabase.Failure(description: "SQLAlchemy printed no time: \(text)")
    }
    lap.record(time / Double(items))
    return 0
  }
}
