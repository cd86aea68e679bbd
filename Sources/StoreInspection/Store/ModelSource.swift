/// The origin of the model with which a store is read.
package enum ModelSource: Equatable, Sendable {
  /// The model given by `--model`.
  case named(String)
  /// The copy of the model that the store contains.
  case cached
  /// The store's tables, because its copy of the model is unusable or, in stores from before 2014, missing.
  case inferred
  /// A model built into the program.
  case builtIn

  /// Text for the user, which completes a line that begins with "model:".
  package var text: String {
    switch self {
    case .named(let path): path
    case .cached: "the store's own copy"
    case .inferred:
      "inferred from the store's tables, because it contains no usable copy of its model; names are those of"
        + " columns"
    case .builtIn: "the program's"
    }
  }
}
