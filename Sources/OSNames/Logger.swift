import Foundation
import Logging

/// A logger for a part of a program, as in Apple's `os` framework; messages go to swift-log.
public struct Logger: Sendable {
  private let logger: Logging.Logger

  /// Makes a logger for a part of a program. The label is both names separated by a colon.
  public init(subsystem: String, category: String) {
    logger = Logging.Logger(label: "\(subsystem):\(category)")
  }

  /// Makes a logger for no particular part.
  public init() { logger = Logging.Logger(label: "default") }

  /// Makes a logger from an ``OSLog``.
  public init(_ log: OSLog) {
    logger =
      log === OSLog.disabled
      ? Logging.Logger(label: "disabled") { _ in SwiftLogNoOpLogHandler() }
      : Logging.Logger(label: "\(log.subsystem):\(log.category)")
  }

  /// Logs a message.
  public func log(_ message: OSLogMessage) { log(level: .default, message) }

  /// Logs a message at a level.
  public func log(level: OSLogType, _ message: OSLogMessage) {
    logger.log(level: level.level, "\(message.text)")
  }

  /// Logs a message that helps to follow the execution of the program.
  public func trace(_ message: OSLogMessage) { logger.trace("\(message.text)") }
  /// Logs a message that helps to find an error.
  public func debug(_ message: OSLogMessage) { logger.debug("\(message.text)") }
  /// Logs a message that may be of interest.
  public func info(_ message: OSLogMessage) { logger.info("\(message.text)") }
  /// Logs a message that is of interest.
  public func notice(_ message: OSLogMessage) { logger.notice("\(message.text)") }
  /// Logs a message about a possible error.
  public func warning(_ message: OSLogMessage) { logger.warning("\(message.text)") }
  /// Logs a message about an error.
  public func error(_ message: OSLogMessage) { logger.error("\(message.text)") }
  /// Logs a message about an error that affects the whole program.
  public func critical(_ message: OSLogMessage) { logger.critical("\(message.text)") }
  /// Logs a message about a defect in the program itself.
  public func fault(_ message: OSLogMessage) { logger.critical("\(message.text)") }
}

/// The level of a message.
public struct OSLogType: RawRepresentable, Equatable, Sendable {
  /// The level's number in Apple's library.
  public let rawValue: UInt8

  /// Makes a level from a number.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Messages that are of interest.
  public static let `default` = OSLogType(rawValue: 0)
  /// Messages that may be of interest.
  public static let info = OSLogType(rawValue: 1)
  /// Messages that help to find an error.
  public static let debug = OSLogType(rawValue: 2)
  /// Errors.
  public static let error = OSLogType(rawValue: 16)
  /// Defects in the program itself.
  public static let fault = OSLogType(rawValue: 17)

  var level: Logging.Logger.Level {
    switch self {
    case .info: .info
    case .debug: .debug
    case .error: .error
    case .fault: .critical
    default: .notice
    }
  }
}

/// The older form of a logger, for `os_log`.
public final class OSLog: Sendable {
  let subsystem: String
  let category: String

  /// Makes a log for a part of a program.
  public init(subsystem: String, category: String) {
    self.subsystem = subsystem
    self.category = category
  }

  /// The log for no particular part.
  public static let `default` = OSLog(subsystem: "default", category: "default")
  /// A log that discards messages.
  public static let disabled = OSLog(subsystem: "disabled", category: "disabled")
}

/// Logs a message with a C format string. Annotations in braces, as in `%{public}@` and `%{time_t}d`, are ignored.
public func os_log(
  _ format: StaticString, log: OSLog = .default, type: OSLogType = .default,
  _ arguments: any CVarArg...
) {
  os_log(type, log: log, format, arguments)
}

/// Logs a message with a C format string.
public func os_log(
  _ type: OSLogType, log: OSLog = .default, _ format: StaticString, _ arguments: any CVarArg...
) {
  os_log(type, log: log, format, arguments)
}

private func os_log(
  _ type: OSLogType, log: OSLog, _ format: StaticString, _ arguments: [any CVarArg]
) {
  let text = String(format: withoutAnnotations("\(format)"), arguments: arguments)
  Logger(log).log(level: type, "\(text, privacy: .public)")
}

/// Removes Apple's privacy marks and type names from a format, because `String(format:)` does not know them.
func withoutAnnotations(_ format: String) -> String {
  // `%%` is a percent sign, also before a brace.
  format.replacing(/%(?:%|\{[^}]*\})/) { $0.output == "%%" ? "%%" : "%" }
}
