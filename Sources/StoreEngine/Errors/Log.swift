import Logging

/// What the library tells of itself, through the program's logging backend.
package enum Log {
  private static let store = Logger(label: "CoreData.store")
  private static let model = Logger(label: "CoreData.model")
  private static let context = Logger(label: "CoreData.context")
  /// What a program knows the library by, whichever of its modules logs.
  static let source = "CoreData"

  /// A statement that a store runs.
  package static func statement(_ text: @autoclosure () -> String, parameters: Int) {
    store.debug("\(text())", metadata: ["parameters": "\(parameters)"], source: source)
  }

  /// A statement that was run, for those who asked for it.
  package static func executed(_ text: String, seconds: Double, rows: Int, plan: String) {
    let time = String(format: "%.4f", seconds)
    store.info(
      "sql: \(text)\nannotation: execution time: \(time)s for \(rows) rows\(plan)", source: source)
  }

  /// Something about a store that the program may want to know.
  package static func storeNotice(_ text: @autoclosure () -> String) {
    store.notice("\(text())", source: source)
  }

  /// Something that went wrong in a store and that nobody can be told by an error.
  package static func storeError(_ text: @autoclosure () -> String) {
    store.error("\(text())", source: source)
  }

  /// Something about a model that is probably not what was meant.
  ///
  /// Programs that read the stores of others, as the tool does, see it at each; so it is told to
  /// those alone who ask for debugging messages.
  package static func modelNotice(_ text: @autoclosure () -> String) {
    model.debug("\(text())", source: source)
  }

  /// Something wrong with a model that a compiler wrote, which keeps no store from being read.
  package static func modelWarning(_ text: @autoclosure () -> String) {
    model.warning("\(text())", source: source)
  }

  /// Something unusual about an object that the program may want to know.
  package static func contextNotice(_ text: @autoclosure () -> String) {
    context.notice("\(text())", source: source)
  }
}
