/// A module of its own beyond Apple's platforms, whose names Foundation brings along there.
struct SeparateModule {
  let name: String
  /// Whether Apple's platforms have a module of this name, too.
  let isEverywhere: Bool
  let names: Set<String>
  let beginnings: [String]

  /// The lines that import it.
  var lines: String {
    isEverywhere ? "import \(name)" : "#if canImport(\(name))\nimport \(name)\n#endif"
  }

  func has(_ name: String) -> Bool {
    names.contains(name) || beginnings.contains { name.hasPrefix($0) }
  }

  static let all = [
    SeparateModule(
      name: "FoundationXML", isEverywhere: false,
      names: [
        "XMLParser", "XMLParserDelegate", "XMLDocument", "XMLElement", "XMLNode", "XMLDTD",
        "XMLDTDNode",
      ], beginnings: []),
    SeparateModule(
      name: "FoundationNetworking", isEverywhere: false,
      names: [
        "URLRequest", "NSURLRequest", "NSMutableURLRequest", "URLResponse", "HTTPURLResponse",
        "URLCache", "CachedURLResponse", "URLCredential", "URLCredentialStorage",
        "URLAuthenticationChallenge", "URLProtectionSpace", "URLProtocol", "HTTPCookie",
        "HTTPCookieStorage",
      ], beginnings: ["URLSession"]),
    SeparateModule(
      name: "CoreFoundation", isEverywhere: true,
      names: ["CFAbsoluteTime", "CFAbsoluteTimeGetCurrent", "CFTimeInterval"],
      beginnings: ["CFRunLoop", "kCFRunLoop"]),
  ]
}
