package import StoreEngine

/// Stores in SQLite databases with the tables of Apple's Core Data. This is the only interface for other modules.
package enum SQLiteStores {
  package static let engine: any FileEngine.Type = SQLiteStore.self
}
