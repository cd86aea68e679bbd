package import StoreEngine

/// Stores in SQLite files, with Apple's tables. This is all that other modules see of them.
package enum SQLiteStores {
  package static let engine: any FileEngine.Type = SQLiteStore.self
}
