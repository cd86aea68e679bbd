// The interface of predicates is made of Foundation's types: who imports this module sees them, its own files included.
@_exported public import Foundation
