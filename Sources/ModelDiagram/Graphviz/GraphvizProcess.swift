package import Foundation

/// Runs Graphviz's program `dot`, which lays out graphs.
package enum GraphvizProcess {
  /// The folders that are searched for the program, in the form of the variable `PATH`. Tests replace them.
  @TaskLocal static var path = ProcessInfo.processInfo.environment["PATH"] ?? ""

  /// The program's URL, if it is on the search path.
  package static var program: URL? {
    #if os(Windows)
      let (separator, name) = (";" as Character, "dot.exe")
    #else
      let (separator, name) = (":" as Character, "dot")
    #endif
    for folder in path.split(separator: separator) {
      let url = URL(fileURLWithPath: String(folder)).appendingPathComponent(name)
      if FileManager.default.isExecutableFile(atPath: url.path) { return url }
    }
    return nil
  }

  /// Runs `dot` on text in its language and returns the output.
  ///
  /// The input and output are files in a temporary folder, because pipes would have to be read and
  /// written concurrently. The folder is removed afterwards.
  ///
  /// - Parameters:
  ///   - text: Graphs in the DOT language.
  ///   - format: The output format, such as `plain`.
  ///   - timeLimit: The number of seconds after which the program is terminated.
  /// - Throws: ``GraphvizError``, or file system errors.
  package static func run(_ text: String, format: String, timeLimit: Double) throws -> String {
    guard let program else { throw GraphvizError.notInstalled }
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("coredata-diagram-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let input = folder.appendingPathComponent("input.dot")
    let output = folder.appendingPathComponent("output")
    let messages = folder.appendingPathComponent("messages")
    try text.write(to: input, atomically: false, encoding: .utf8)
    // A file handle can only be opened for an existing file.
    try Data().write(to: output)
    try Data().write(to: messages)
    // Do not use the option -o, which keeps only one of several graphs.
    let outputFile = try FileHandle(forWritingTo: output)
    defer { try? outputFile.close() }
    let messageFile = try FileHandle(forWritingTo: messages)
    defer { try? messageFile.close() }

    let process = Process()
    process.executableURL = program
    process.arguments = ["-T\(format)", input.path]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = outputFile
    process.standardError = messageFile
    try process.run()
    let deadline = Date(timeIntervalSinceNow: timeLimit)
    while process.isRunning {
      guard Date() < deadline else {
        process.terminate()
        // Wait for the program, because it writes to the folder, which is removed next.
        process.waitUntilExit()
        throw GraphvizError.timedOut(seconds: timeLimit)
      }
      Thread.sleep(forTimeInterval: 0.005)
    }
    guard process.terminationStatus == 0 else {
      let said = try? String(contentsOf: messages, encoding: .utf8)
      let line = said?.split(whereSeparator: \.isNewline).first.map(String.init)
      // The path of the temporary file means nothing to the user.
      throw GraphvizError.failed(line?.replacing(input.path, with: "the diagram") ?? "")
    }
    return try String(contentsOf: output, encoding: .utf8)
  }
}
