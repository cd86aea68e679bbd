package import StoreEngine

/// Stores in SQLite files with Apple's tables. This is the only interface for other modules.
package enum SQLiteStores {
  package static let engine: any FileEngine.Type = SQLiteStore.self
}
