import StoreEngine

extension SQLiteConnection {
  /// Allows the triggers of a model's R-tree indexes to write to their tables, if the database has such indexes.
  ///
  /// For this, SQLite has to trust the whole schema; it cannot trust only some triggers. Functions that are marked
  /// `SQLITE_DIRECTONLY`, like those of predicates, remain inaccessible. R-trees that the model does not have are no
  /// reason to trust the schema.
  func allowIndexTriggers(of model: ModelLayout) throws {
    let names = try SpecialTable.indexTrees(on: self)
    if names.isEmpty || model.rTreeNames.isDisjoint(with: names) { return }
    allowIndexTriggers()
  }
}

extension ModelLayout {
  /// The names of the R-trees of the model's entities: those of fetch indexes, and those that Apple's Core Data
  /// creates for a location in a transient attribute (in stores of Photos).
  fileprivate var rTreeNames: Set<String> {
    Set(
      entities.flatMap { layout in
        let indexes = layout.entity.indexes.filter(\.isRTree).map(\.name)
        let places = layout.slots.filter(\.isTransient).map(\.name)
        return (indexes + places).map { "Z_RT_\(layout.name)_\($0)" }
      })
  }
}
