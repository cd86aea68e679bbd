/// A module that other platforms need for names that Foundation exports on Apple's platforms.
struct SeparateModule {
  let name: String
  /// Whether Apple's platforms also have a module with this name.
  let isEverywhere: Bool
  let names: Set<String>
  var beginnings: [String] = []
  /// Names that iOS lacks. If a source imports packages, such a name usually comes from one of the packages.
  var namesOfPackages: Set<String> = []

  /// Returns the lines that import the module, with the modifiers before `import`.
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
