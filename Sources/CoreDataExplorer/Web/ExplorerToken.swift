import Foundation
package import StoreInspection

/// Reads the token of `explore` from an option, a file or the environment. All users of the machine can see the
/// arguments of a command (`ps`), but not a private file or the environment.
package enum ExplorerToken {
  /// The environment variable with the token.
  package static let variable = "OPENCOREDATA_EXPLORER_TOKEN"
  private static let shortest = 16
  /// The maximum length of the first line of a token file, in bytes.
  private static let longestLine = 4_096

  /// Returns the token; nil if there is none. An option overrides the environment.
  ///
  /// - Throws: ``Diagnostic`` if the token is invalid, two options provide one, or the file cannot be read, is not a
  ///   regular file, is accessible to other users, or has too long a line.
  package static func resolve(
    option: String?, file: String?,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(Diagnostic) -> String? {
    switch (option, file) {
    case (_?, _?):
      throw Diagnostic(.usage, "--token and --token-file cannot be combined")
    case (let token?, nil): return try checked(token, from: "--token")
    case (nil, let file?): return try checked(try contents(of: file), from: "--token-file")
    case (nil, nil):
      // An empty variable counts as not set.
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
        "the token in \(source) is too short or contains characters other than letters, digits and -._~",
        details: ["It needs at least \(shortest) characters and should be random."])
    }
    return token
  }

  /// Returns the first line of a file that only its owner can read.
  private static func contents(of path: String) throws(Diagnostic) -> String {
    // Opening a pipe without a writer must not block.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      throw Diagnostic(
        .usage,
        "the file '\(path)' of --token-file cannot be read: \(String(cString: strerror(errno)))")
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw Diagnostic(.usage, "'\(path)' of --token-file is not a regular file")
    }
    guard status.st_mode & 0o077 == 0 else {
      throw Diagnostic(
        .usage, "the file '\(path)' of --token-file is accessible to other users",
        details: ["Restrict it with chmod 600."])
    }
    var bytes = [UInt8](repeating: 0, count: longestLine + 1)
    let count = read(descriptor, &bytes, bytes.count)
    guard count >= 0 else {
      throw Diagnostic(.usage, "the file '\(path)' of --token-file cannot be read")
    }
    let text = String(decoding: bytes.prefix(count), as: UTF8.self)
    let line = text.prefix { !$0.isNewline }
    guard line.utf8.count <= longestLine else {
      throw Diagnostic(
        .usage,
        "the first line of the file '\(path)' of --token-file is longer than \(longestLine) bytes")
    }
    return String(line)
  }
}
