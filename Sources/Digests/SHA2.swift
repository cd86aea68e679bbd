/// The digests SHA-256 and SHA-512 (FIPS 180-4), which the version hashes of models use.
///
/// The digests identify versions; they protect no secrets. They are implemented here because the plugin's tool
/// computes them too: with a C library, every build of a package that uses the plugin would compile all C sources of
/// that library (SwiftPM builds the tools of plugins in two plans, and each plan recompiles the C sources that the
/// other one compiled).
///
/// The inner loops use pointers and wrapping operators on one integer type. Code that is generic
/// over the word type is not specialized for callers in other modules, which made it about a
/// thousand times slower, and checked arithmetic calls a function for each operation in debug
/// builds.
package enum SHA2 {
  /// SHA-256: 32 bytes.
  package static let sha256 = SHA256()
  /// SHA-512: 64 bytes.
  package static let sha512 = SHA512()
}
