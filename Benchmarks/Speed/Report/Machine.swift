import Foundation
import PlainSQLite

/// The machine and the versions with which the numbers were measured.
enum Machine {
  static var description: String {
    let parts = [
      processor, "\(ProcessInfo.processInfo.activeProcessorCount) cores",
      ProcessInfo.processInfo.operatingSystemVersionString, swift,
      "SQLite \(String(cString: sqlite3_libversion()))",
    ]
    return parts.compactMap { $0 }.joined(separator: ", ") + "."
  }

  private static var processor: String? {
    guard let text = try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8) else {
      return nil
    }
    let line = text.split(separator: "\n").first { $0.hasPrefix("model name") }
    return line?.split(separator: ":").last.map { $0.trimmingCharacters(in: .whitespaces) }
  }

  private static var swift: String? {
    let (process, output) = (Process(), Pipe())
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["swift", "--version"]
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return nil }
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return text.split(separator: "\n").first.map(String.init)
  }
}
