import Foundation
import Logging

/// A log of a part of a program, under the names that it has on Apple's platforms; what is logged goes to
/// swift-log.
public struct Logger: Sendable {
  private let logger: Logging.Logger

  /// Makes the log of a part of a program. Its label is both names with a colon between.
  public init(subsystem: String, category: String) {
    logger = Logging.Logger(label: "\(subsystem):\(category)")
  }

  /// Makes the log of no part in particular.
  public init() { logger = Logging.Logger(label: "default") }

  /// Makes the log of an ``OSLog``.
  public init(_ log: OSLog) {
    logger =
      log === OSLog.disabled
      ? Logging.Logger(label: "disabled") { _ in SwiftLogNoOpLogHandler() }
      : Logging.Logger(label: "\(log.subsystem):\(log.category)")
  }

  /// Logs a message.
  public func log(_ message: OSLogMessage) { log(level: .default, message) }

  /// Logs a message of a level.
  public func log(level: OSLogType, _ message: OSLogMessage) {
    logger.log(level: level.level, "\(message.text)")
  }

  /// Logs what helps to follow the program.
  public func trace(_ message: OSLogMessage) { logger.trace("\(message.text)") }
  /// Logs what helps to find a mistake.
  public func debug(_ message: OSLogMessage) { logger.debug("\(message.text)") }
  /// Logs what may be of interest.
  public func info(_ message: OSLogMessage) { logger.info("\(message.text)") }
  /// Logs what is of interest.
  public func notice(_ message: OSLogMessage) { logger.notice("\(message.text)") }
  /// Logs what may become a mistake.
  public func warning(_ message: OSLogMessage) { logger.warning("\(message.text)") }
  /// Logs a mistake.
  public func error(_ message: OSLogMessage) { logger.error("\(message.text)") }
  /// Logs a mistake that concerns all of the program.
  public func critical(_ message: OSLogMessage) { logger.critical("\(message.text)") }
  /// Logs a mistake in the program itself.
  public func fault(_ message: OSLogMessage) { logger.critical("\(message.text)") }
}

/// How much a message matters.
public struct OSLogType: RawRepresentable, Equatable, Sendable {
  /// Apple's number for it.
  public let rawValue: UInt8

  /// Makes a type of a number.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// What is of interest.
  public static let `default` = OSLogType(rawValue: 0)
  /// What may be of interest.
  public static let info = OSLogType(rawValue: 1)
  /// What helps to find a mistake.
  public static let debug = OSLogType(rawValue: 2)
  /// A mistake.
  public static let error = OSLogType(rawValue: 16)
  /// A mistake in the program itself.
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

/// The older form of a log, for `os_log`.
public final class OSLog: Sendable {
  let subsystem: String
  let category: String

  /// Makes the log of a part of a program.
  public init(subsystem: String, category: String) {
    self.subsystem = subsystem
    self.category = category
  }

  /// The log of no part in particular.
  public static let `default` = OSLog(subsystem: "default", category: "default")
  /// A log that keeps nothing.
  public static let disabled = OSLog(subsystem: "disabled", category: "disabled")
}

/// Logs a message in C's format; `%{public}@` and its like are read, and what they say of privacy is not.
public func os_log(
  _ format: StaticString, log: OSLog = .default, type: OSLogType = .default,
  _ arguments: any CVarArg...
) {
  os_log(type, log: log, format, arguments)
}

/// Logs a message in C's format.
public func os_log(
  _ type: OSLogType, log: OSLog = .default, _ format: StaticString, _ arguments: any CVarArg...
) {
  os_log(type, log: log, format, arguments)
}

private func os_log(
  _ type: OSLogType, log: OSLog, _ format: StaticString, _ arguments: [any CVarArg]
) {
  let plain = "\(format)".replacing(/%\{[a-z, .]*\}/, with: "%")
  Logger(log).log(level: type, "\(String(format: plain, arguments: arguments), privacy: .public)")
}
