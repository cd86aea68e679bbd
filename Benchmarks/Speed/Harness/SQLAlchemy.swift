import Foundation

/// The peer whose unit of work is written in Python.
enum SQLAlchemy {
  static let name = "SQLAlchemy"

  /// The Python that has it; nil where it could not be installed.
  private static let python = ProcessInfo.processInfo.environment["OPENCOREDATA_BENCHMARK_PYTHON"]

  /// Nobody where it could not be installed.
  static var peers: [String] { python == nil ? [] : [name] }

  /// Does some work in the file of a store; counts with the time that it says itself.
  ///
  /// - Parameter argument: how much is to be done.
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
      throw FloorDatabase.Failure(description: "SQLAlchemy gave no time: \(text)")
    }
    lap.gives(time / Double(items))
    return 0
  }
}
