import ArgumentParser
import CoreData

/// What the commands that only read a store, or the model that a store carries, take besides.
struct ReadOnlyOptions: ParsableArguments {
  @Flag(
    help: """
      Read the store as evidence: no byte and no time of a file in its folder changes, and its write-ahead \
      log is read as well. Other processes should not write to it meanwhile.
      """)
  var immutable = false

  /// Runs a block in which stores are read as the options say.
  func apply<Result>(_ body: () throws -> Result) rethrows -> Result {
    try ImmutableStoreScope.$isOn.withValue(immutable) { try body() }
  }
}
