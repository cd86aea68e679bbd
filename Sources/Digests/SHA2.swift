/// The digests SHA-256 and SHA-512 (FIPS 180-4), which version hashes of models are made of.
///
/// The digests identify versions and files and protect no secrets. The implementation is ours because the plugin's tool
/// computes them too: with a C library behind it, each build of a package that uses the plugin would compile all C of
/// that library (SwiftPM builds the tools of plugins in two plans, each of which redoes the other's C).
///
/// The inner loops use pointers and wrapping operators on one integer type. Code that is generic over the word is
/// not specialised for callers in other modules, which made it some thousand times slower, and checked arithmetic is
/// a call for each operation in debug builds.
package enum SHA2 {
  /// SHA-256: 32 bytes.
  package static let sha256 = SHA256()
  /// SHA-512: 64 bytes.
  package static let sha512 = SHA512()
}
