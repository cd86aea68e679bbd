import CSQLite
import StoreEngine

/// The functions that verify values of stores.
extension SQLiteFunctions {
  /// `f(value)`: whether the bytes of a text are valid UTF-8.
  static let isText: Function = { context, _, arguments in
    guard let value = arguments?[0], let start = sqlite3_value_text(value) else {
      return sqlite3_result_int(context, 0)
    }
    let bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
    sqlite3_result_int(context, String(validating: bytes, as: UTF8.self) == nil ? 0 : 1)
  }

  /// `f(value)`: whether a text is a URI.
  static let isURI: Function = { context, _, arguments in
    let text = SQLiteValue.text(arguments?[0])
    sqlite3_result_int(context, text.flatMap { URL(string: $0) } == nil ? 0 : 1)
  }

  /// `f(form, text)`: the value of an attribute that is derived from a text.
  static let textForm: Function = { context, _, arguments in
    guard let arguments,
      let form = SQLiteValue.text(arguments[0]).flatMap({ RowDerivation.TextForm(rawValue: $0) }),
      let text = SQLiteValue.text(arguments[1])
    else { return sqlite3_result_null(context) }
    SQLiteValue.setResult(.text(form.of(text)), of: context)
  }
}

extension SQLFunctionNames {
  static let isText = "CoreDataIsText"
  static let isURI = "CoreDataIsURI"
  static let textForm = "CoreDataTextForm"
}
