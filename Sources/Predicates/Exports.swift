// Re-exports Foundation because the module's public interface is built on Foundation's types.
@_exported public import Foundation
