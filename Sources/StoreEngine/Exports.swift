// Stores keep what models describe: who imports this module sees models, predicates and Foundation, its own files
// included.
@_exported public import ObjectModel
