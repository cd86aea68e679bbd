extension DictionaryQuery {
  /// Reads the dictionaries of several stores as one result.
  func dictionaries(in engines: [any StoreEngine]) throws -> [[String: Any]] {
    switch engines.count {
    case 0: []
    case 1: try engines[0].dictionaries(self)
    // Order, groups, limits and distinct values apply to the rows of all stores together, so the rows are gathered in a
    // temporary table.
    default: try StoreKind.sqlite.dictionaries(self, gatheredFrom: engines)
    }
  }

  /// Counts the dictionaries of several stores.
  func count(in engines: [any StoreEngine]) throws -> Int {
    switch engines.count {
    case 0: 0
    case 1: try engines[0].count(self)
    default: try StoreKind.sqlite.count(self, gatheredFrom: engines)
    }
  }
}
