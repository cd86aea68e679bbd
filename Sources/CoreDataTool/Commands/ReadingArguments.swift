import ArgumentParser

/// What the commands that only read a store take besides.
struct ReadingArguments: ParsableArguments {
  @Flag(
    help: """
      Read the store as evidence: no byte and no time of a file in its folder changes, and its write-ahead \
      log is read as well. Other processes should not write to it meanwhile.
      """)
  var immutable = false
}
