import Foundation
package import StoreInspection

/// The token of `explore`, from an option, a file or the environment. Arguments of a command can be seen by every user of the machine
/// (`ps`), what is in a file of one's own or in the environment cannot.
package enum ExplorerToken {
  /// The variable of the environment that has the token.
  package static let variable = "OPENCOREDATA_EXPLORER_TOKEN"
  private static let shortest = 16
  /// A file that is longer is another one.
  private static let longestFile = 4_096

  /// Returns the token; nil where there is none. An option goes before the environment.
  ///
  /// - Throws: ``Diagnostic`` where it is no token, where two options have one, or where the file cannot be read, is no plain
  ///   file, or may be read by others.
  package static func resolve(
    option: String?, file: String?,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(Diagnostic) -> String? {
    switch (option, file) {
    case (_?, _?):
      throw Diagnostic(.usage, "--token and --token-file are one too many")
    case (let token?, nil): return try checked(token, from: "--token")
    case (nil, let file?): return try checked(try contents(of: file), from: "--token-file")
    case (nil, nil):
      // An empty variable is one that somebody has emptied.
      guard let token = environment[variable], !token.isEmpty else { return nil }
      return try checked(token, from: variable)
    }
  }

  private static func checked(_ token: String, from source: String) throws(Diagnostic) -> String {
    guard token.count >= shortest,
      token.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "-._~".contains($0)) })
    else {
      throw Diagnostic(
        .usage,
        "the token of \(source) is too short or has other characters than letters, digits and -._~",
        details: ["It has at least \(shortest) characters that nobody guesses."])
    }
    return token
  }

  /// The first line of a file that its owner alone can read.
  private static func contents(of path: String) throws(Diagnostic) -> String {
    // Not to wait for a pipe that nobody writes to.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      throw Diagnostic(
        .usage,
        "the file '\(path)' of --token-file cannot be read: \(String(cString: strerror(errno)))")
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw Diagnostic(.usage, "'\(path)' of --token-file is no plain file")
    }
    guard status.st_mode & 0o077 == 0 else {
      throw Diagnostic(
        .usage, "others can read the file '\(path)' of --token-file",
        details: ["chmod 600 keeps it to its owner."])
    }
    var bytes = [UInt8](repeating: 0, count: longestFile)
    let count = read(descriptor, &bytes, bytes.count)
    guard count >= 0 else {
      throw Diagnostic(.usage, "the file '\(path)' of --token-file cannot be read")
    }
    let text = String(decoding: bytes.prefix(count), as: UTF8.self)
    return String(text.prefix { !$0.isNewline })
  }
}
