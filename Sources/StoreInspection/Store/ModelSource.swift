/// Where the model came from that a store is read with.
package enum ModelSource: Equatable, Sendable {
  /// `--model`.
  case named(String)
  /// The copy of its model that a store carries.
  case cached
  /// The store's tables: stores from before 2014 carry no copy, and that of others is damaged.
  case inferred
  /// The program itself.
  case builtIn

  /// For the user, as the rest of a sentence that begins with "model:".
  package var text: String {
    switch self {
    case .named(let path): path
    case .cached: "the store's own copy"
    case .inferred:
      "inferred from the store's tables, since it carries no copy that can be read; names are those of"
        + " columns"
    case .builtIn: "the program's"
    }
  }
}
