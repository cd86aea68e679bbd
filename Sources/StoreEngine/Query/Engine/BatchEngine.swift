/// A store engine that carries out batch requests. Each is one transaction of the store: what throws
/// leaves nothing behind.
package protocol BatchEngine: StoreEngine {
  func insert(_ insertion: BatchInsertion, note: SaveNote) throws -> BatchOutcome
  func update(_ update: BatchUpdate, note: SaveNote) throws -> BatchOutcome
  func delete(_ deletion: BatchDeletion, note: SaveNote) throws -> BatchOutcome
}
