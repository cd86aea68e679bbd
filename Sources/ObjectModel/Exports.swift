// Models have predicates and Foundation's types in their interface: who imports this module sees them, its own files
// included.
@_exported public import Predicates
