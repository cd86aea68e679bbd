/// A module of its own beyond Apple's platforms, whose names Foundation brings along there.
struct SeparateModule {
  let name: String
  /// Whether Apple's platforms have a module of this name, too.
  let isEverywhere: Bool
  let names: Set<String>
  var beginnings: [String] = []
  /// Those that iOS does not have: a source that imports packages has them from one of these, mostly.
  var namesOfPackages: Set<String> = []

  /// The lines that import it, with what goes before `import`.
  func lines(_ access: String) -> String {
    let line = "\(access)import \(name)"
    return isEverywhere ? line : "#if canImport(\(name))\n\(line)\n#endif"
  }

  func has(_ name: String) -> Bool {
    names.contains(name) || beginnings.contains { name.hasPrefix($0) }
  }

  static func one(with name: String) -> SeparateModule? { all.first { $0.has(name) } }

  static let all = [
    SeparateModule(
      name: "FoundationXML", isEverywhere: false,
      names: [
        "XMLParser", "XMLParserDelegate", "XMLDocument", "XMLElement", "XMLNode", "XMLDTD",
        "XMLDTDNode",
      ], namesOfPackages: ["XMLDocument", "XMLElement", "XMLNode", "XMLDTD", "XMLDTDNode"]),
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
