import Foundation

/// Decides which requests are admitted: those from pages of this server, in a browser that has received the token.
///
/// A page of another site in the same browser can send requests too. Such a request has no cookie (`SameSite=Strict`),
/// a different `Origin`, and, if the site's name was made to resolve to this server, a different `Host`.
package struct Admission: Sendable {
  private let token: String
  private let names: Set<String>
  private let allowsAddresses: Bool

  /// - Parameters:
  ///   - token: The value that the address of a browser's first request must contain. Later requests must contain it in a
  ///     cookie.
  ///   - names: The valid host names of the server, in lower case and without a port.
  ///   - allowsAddresses: Whether every IP address is also a valid host name. This is safe, because the name of another
  ///     site cannot be an IP address.
  package init(
    token: String, names: Set<String> = ["127.0.0.1", "localhost", "[::1]"],
    allowsAddresses: Bool = false
  ) {
    self.token = token
    self.names = names
    self.allowsAddresses = allowsAddresses
  }

  /// Returns a new random token of 32 characters.
  package static func newToken() -> String {
    // The system's generator is suitable for keys.
    var random = SystemRandomNumberGenerator()
    return (0..<32).map { _ in String(Int.random(in: 0..<16, using: &random), radix: 16) }.joined()
  }

  /// Returns the response to a request that is not admitted; nil if it is admitted.
  func answer(to request: WebRequest) -> WebResponse? {
    guard request.hasPathTarget else {
      return .text("The request target is not a path.", status: 400)
    }
    guard Self.deciding.isDisjoint(with: request.repeatedHeaders) else {
      return .text("A header that must occur once is repeated.", status: 400)
    }
    // RFC 9112, section 3.2: the response is 400 if the Host is missing or invalid.
    guard let host = request.headers["host"]?.lowercased(), Self.isWellFormed(host) else {
      return .text("The Host header is invalid.", status: 400)
    }
    guard isAllowed(host) else {
      return .text("This server does not have that host name.", status: 421)
    }
    // Browsers send the origin of the page that makes the request, which a page cannot change.
    if let origin = request.headers["origin"]?.lowercased(), origin != "http://\(host)" {
      return .text("The request comes from a page of another origin.", status: 403)
    }
    // Browsers also send the cookie for pages of other servers on this machine, because cookies ignore ports.
    if let site = request.headers["sec-fetch-site"], !["same-origin", "none"].contains(site),
      request.headers["sec-fetch-mode"] != "navigate"
    {
      return .text("The request comes from a page of another server.", status: 403)
    }
    let cookie = Self.cookie(of: host)
    if request.path.isEmpty, let given = request.parameter("token") {
      guard isToken(given) else { return Self.unknown }
      return Self.welcome(
        cookie: "\(cookie)=\(token); Path=/; HttpOnly; SameSite=Strict")
    }
    guard let given = request.cookie(cookie), isToken(given) else { return Self.unknown }
    if request.method == "GET" || request.method == "HEAD" { return nil }
    // A page of another server cannot add this header: browsers would first request permission,
    // which is refused.
    guard request.headers["origin"] != nil, request.headers["x-explorer"] == "1" else {
      return .text("Only pages of this server may change data.", status: 403)
    }
    return nil
  }

  /// Returns a page that forwards to the start page. A redirection does not work: if a page of another site links to
  /// the address with the token, browsers follow the redirection without the new cookie. They send the cookie if a page
  /// of this server makes the request.
  private static func welcome(cookie: String) -> WebResponse {
    let page: HTML = """
      <!doctype html>
      <html lang="en"><head><meta charset="utf-8"><title>Explorer</title>
      <meta http-equiv="refresh" content="0; url=/"></head>
      <body><p><a href="/">Open the store</a></p></body></html>

      """
    return WebResponse(
      type: "text/html; charset=utf-8", headers: [("Set-Cookie", cookie)],
      body: .data(Data(page.text.utf8)))
  }

  /// The headers that affect admission. If one is repeated, servers and proxies may use different values.
  private static let deciding: Set<String> = [
    "host", "origin", "cookie", "x-explorer", "sec-fetch-site", "sec-fetch-mode",
  ]

  /// Returns whether a host is a name or a bracketed address with an optional port: `localhost:80`, `[::1]:80`.
  private static func isWellFormed(_ host: String) -> Bool {
    let name = name(of: host)
    let rest = host.dropFirst(name.count)
    let isName =
      name.hasPrefix("[")
      ? name.hasSuffix("]") && name.count > 2
      : !name.isEmpty
        && name.utf8.allSatisfy("abcdefghijklmnopqrstuvwxyz0123456789-._".utf8.contains)
    return isName && (rest.isEmpty || rest.first == ":" && isPort(rest.dropFirst()))
  }

  private static func isPort(_ text: Substring) -> Bool {
    // `UInt16` would also accept a sign.
    (1...5).contains(text.utf8.count) && text.first?.isNumber == true && UInt16(text) != nil
  }

  private func isAllowed(_ host: String) -> Bool {
    let name = Self.name(of: host)
    return names.contains(name) || allowsAddresses && Self.isAddress(name)
  }

  /// Returns the host without its port.
  private static func name(of host: String) -> String {
    if host.hasPrefix("[") { return host.firstIndex(of: "]").map { String(host[...$0]) } ?? host }
    return String(host.prefix { $0 != ":" })
  }

  private static func isAddress(_ name: String) -> Bool {
    if name.hasPrefix("[") {
      return name.dropFirst().dropLast().allSatisfy { $0.isHexDigit || $0 == ":" }
    }
    let numbers = name.split(separator: ".", omittingEmptySubsequences: false)
    return numbers.count == 4 && numbers.allSatisfy { UInt8($0) != nil }
  }

  /// Returns the name of the cookie, which contains the port, because cookies ignore ports and several explorers may
  /// run.
  private static func cookie(of host: String) -> String {
    let port = host.dropFirst(name(of: host).count).dropFirst()
    return "explorer-\(port.isEmpty ? "80" : String(port))"
  }

  private static var unknown: WebResponse {
    .text("Open the address that the explorer printed when it started.", status: 403)
  }

  /// Compares all characters even after a difference, so that the response time does not reveal how many characters are
  /// right.
  private func isToken(_ text: String) -> Bool {
    let (given, own) = (Array(text.utf8), Array(token.utf8))
    guard given.count == own.count else { return false }
    return zip(given, own).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
