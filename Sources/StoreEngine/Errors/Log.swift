import Logging

/// Logs messages of the library to the program's logging backend.
package enum Log {
  private static let store = Logger(label: "CoreData.store")
  private static let model = Logger(label: "CoreData.model")
  private static let context = Logger(label: "CoreData.context")
  /// The source of the messages, whichever module logs them.
  static let source = "CoreData"

  /// Logs a statement that a store runs.
  package static func statement(_ text: @autoclosure () -> String, parameters: Int) {
    store.debug("\(text())", metadata: ["parameters": "\(parameters)"], source: source)
  }

  /// Logs a completed statement. Called only if the program enabled the SQL log.
  package static func executed(_ text: String, seconds: Double, rows: Int, plan: String) {
    let time = String(format: "%.4f", seconds)
    store.info(
      "sql: \(text)\nannotation: execution time: \(time)s for \(rows) rows\(plan)", source: source)
  }

  /// Logs an event in a store that the program may need to know about.
  package static func storeNotice(_ text: @autoclosure () -> String) {
    store.notice("\(text())", source: source)
  }

  /// Logs an error in a store that cannot be thrown or returned.
  package static func storeError(_ text: @autoclosure () -> String) {
    store.error("\(text())", source: source)
  }

  /// Logs a probable defect of a model, as a debug message.
  package static func modelNotice(_ text: @autoclosure () -> String) {
    // Programs that open the stores of other programs, like the tool, would otherwise log a warning for each
    // store.
    model.debug("\(text())", source: source)
  }

  /// Logs why a model cannot be used, in code that cannot throw an error.
  package static func modelError(_ text: @autoclosure () -> String) {
    model.error("\(text())", source: source)
  }

  /// Logs an error in a compiled model that does not prevent reading stores.
  package static func modelWarning(_ text: @autoclosure () -> String) {
    model.warning("\(text())", source: source)
  }

  /// Logs an unusual event in a context that the program may need to know about.
  package static func contextNotice(_ text: @autoclosure () -> String) {
    context.notice("\(text())", source: source)
  }
}
