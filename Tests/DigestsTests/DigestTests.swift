import Digests
import Testing

// The messages are the examples of FIPS 180-4 and RFC 1321, and one message of each length up to
// several blocks. The digests of the latter come from another implementation (Python's hashlib).
struct DigestTests {
  private func text(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// Returns the digest of the digests of all prefixes of a message.
  private func ofAllLengths(_ digest: ([UInt8]) -> [UInt8]) -> String {
    let message = (0..<300).map { UInt8($0 % 251) }
    return text(digest((0...300).flatMap { digest(Array(message[..<$0])) }))
  }

  private let million = [UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000)

  @Test func `SHA-256 returns the standard's digests`() {
    #expect(
      text(SHA2.sha256.digest(of: "abc".utf8))
        == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    #expect(
      text(SHA2.sha256.digest(of: []))
        == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    #expect(
      text(SHA2.sha256.digest(of: million))
        == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    #expect(
      ofAllLengths { SHA2.sha256.digest(of: $0) }
        == "b90e35153500e9a471591550ee25a954527c6b4448afff95f7949a2ca93300ce")
  }

  @Test func `SHA-512 returns the standard's digests`() {
    #expect(
      text(SHA2.sha512.digest(of: "abc".utf8))
        == "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
        + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f")
    #expect(
      text(SHA2.sha512.digest(of: []))
        == "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce"
        + "47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e")
    #expect(
      text(SHA2.sha512.digest(of: million))
        == "e718483d0ce769644e2e42c7bc15b4638e1f98b13b2044285632a803afa973eb"
        + "de0ff244877ea60a4cb0432ce577c31beb009c5c2c49aa2e4eadb217ad8cc09b")
    #expect(
      ofAllLengths { SHA2.sha512.digest(of: $0) }
        == "da20b3b598f77f25e2e2d1941e345bfe16543f32378fbc8447fbb64f038964ce"
        + "a0808c9d450e5e83ac095f5656c102b2ff15a8e0501c7553a7afe1e0256b5e09")
  }

  @Test func `MD5 returns the standard's digests`() {
    #expect(
      text(MD5.digest(of: "abc".utf8))
        == "900150983cd24fb0d6963f7d28e17f72")
    #expect(
      text(MD5.digest(of: []))
        == "d41d8cd98f00b204e9800998ecf8427e")
    #expect(
      text(MD5.digest(of: million))
        == "7707d6ae4e027c70eea2a935c2296f21")
    #expect(
      ofAllLengths { MD5.digest(of: $0) }
        == "eeb77f5f54b2e46b4849a40454d8e547")
  }
}
