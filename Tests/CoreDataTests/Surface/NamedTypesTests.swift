import Testing

@testable import CoreData

/// A type that was moved to another module or renamed would not be found, and nothing else would report it.
@Suite("Types that lower modules find by name")
struct NamedTypesTests {
  @Test("Failed evaluations of predicates are written to the program's logging backend")
  func log() {
    #expect(_typeByName(EvaluationLog.backendName) is any EvaluationLogging.Type)
  }

  @Test("Key paths of managed objects are resolved by the probe")
  func keyPaths() {
    #expect(_typeByName(KeyPathNames.resolverName) is any KeyPathResolving.Type)
  }
}
