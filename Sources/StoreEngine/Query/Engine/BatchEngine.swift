/// A store engine that executes batch requests. Each request is one transaction, so a request that throws an error
/// changes nothing.
package protocol BatchEngine: StoreEngine {
  func insert(_ insertion: BatchInsertion, note: SaveNote) throws -> BatchOutcome
  func update(_ update: BatchUpdate, note: SaveNote) throws -> BatchOutcome
  func delete(_ deletion: BatchDeletion, note: SaveNote) throws -> BatchOutcome
}
