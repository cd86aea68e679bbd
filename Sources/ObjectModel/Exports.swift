// Re-exports Predicates and, through it, Foundation, because the module's public interface is built on their types.
@_exported public import Predicates
