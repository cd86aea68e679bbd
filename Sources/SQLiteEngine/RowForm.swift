import StoreEngine

/// How a query gives the rows of a reader.
enum RowForm {
  /// As the arguments of a function: see ``RowReceiver``. Only where SQLite does not sort.
  case handedOver
  /// As result columns.
  case columns

  /// What is selected, as SQL.
  func selection(_ values: String) -> String {
    self == .columns ? values : "\(SQLFunctionNames.row)(\(values))"
  }

  /// SQLite allows 127 arguments, or fewer where it was built so.
  static func forms(forValues count: Int) -> [RowForm] {
    count > 90 ? [.columns] : [.handedOver, .columns]
  }
}
