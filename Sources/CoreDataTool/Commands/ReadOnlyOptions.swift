import ArgumentParser
import CoreData

/// The options of the commands that only read a store, or the model that a store contains.
struct ReadOnlyOptions: ParsableArguments {
  @Flag(
    help: """
      Read the store as evidence: no byte and no timestamp in its folder changes, and the write-ahead log is read \
      too. No other process should write to the store at the same time.
      """)
  var immutable = false

  /// Applies these options to the stores that a block opens.
  func apply<Result>(_ body: () throws -> Result) rethrows -> Result {
    try ImmutableStoreScope.$isOn.withValue(immutable) { try body() }
  }
}
