import Foundation

/// Makes addresses of pages from arbitrary text.
enum Address {
  private static let plain = CharacterSet.alphanumerics.union(CharacterSet(charactersIn: "-._~"))

  static func escaped(_ text: String) -> String {
    // The set of alphanumerics contains letters beyond ASCII, which an address has to escape.
    let isASCII = text.utf8.allSatisfy { $0 < 0x80 }
    if isASCII, let escaped = text.addingPercentEncoding(withAllowedCharacters: plain) {
      return escaped
    }
    return text.utf8.map { byte in
      let scalar = Unicode.Scalar(byte)
      return byte < 0x80 && plain.contains(scalar) ? String(scalar) : String(format: "%%%02X", byte)
    }.joined()
  }

  static func entity(_ name: String) -> String { "/entities/\(escaped(name))" }
  static func object(_ entity: String, _ id: String) -> String { "\(Self.entity(entity))/\(id)" }

  /// Returns an address with parameters; parameters that are nil or empty are left out.
  static func with(_ path: String, _ parameters: [(String, String?)]) -> String {
    let pairs = parameters.compactMap { name, value in
      value.flatMap { $0.isEmpty ? nil : "\(name)=\(escaped($0))" }
    }
    return pairs.isEmpty ? path : path + "?" + pairs.joined(separator: "&")
  }
}
