import Foundation

/// Decides who may ask: the browser that was given the token of this start, and pages of this server alone.
///
/// A page of somebody else's that the same browser shows can send requests too. It has no cookie
/// (`SameSite=Strict`), another `Origin`, and where its name was made to lead here, another `Host`.
package struct Admission: Sendable {
  private let token: String
  private let names: Set<String>
  private let allowsAddresses: Bool

  /// - Parameters:
  ///   - token: what the address of the first request has to say, and the cookie afterwards.
  ///   - names: the names, without a port and in lower case, under which the server may be asked.
  ///   - allowsAddresses: whether it may be asked under any IP address as well: no page of somebody else's can
  ///     have one as its name.
  package init(
    token: String, names: Set<String> = ["127.0.0.1", "localhost", "[::1]"],
    allowsAddresses: Bool = false
  ) {
    self.token = token
    self.names = names
    self.allowsAddresses = allowsAddresses
  }

  /// A new token: 32 characters that nobody guesses.
  package static func newToken() -> String {
    // The system's own numbers, which are made for keys.
    var random = SystemRandomNumberGenerator()
    return (0..<32).map { _ in String(Int.random(in: 0..<16, using: &random), radix: 16) }.joined()
  }

  /// What is answered in the stead of what was asked for; nil where the request is admitted.
  func answer(to request: WebRequest) -> WebResponse? {
    guard request.namesPath else {
      return .text("The request names no path of this server.", status: 400)
    }
    guard Self.deciding.isDisjoint(with: request.repeatedHeaders) else {
      return .text("A header that decides about the request is there twice.", status: 400)
    }
    // RFC 9112, section 3.2: 400 is what a request without a Host gets, and one with an invalid value.
    guard let host = request.headers["host"]?.lowercased(), Self.isWellFormed(host) else {
      return .text("The Host is no name with a port.", status: 400)
    }
    guard isAllowed(host) else {
      return .text("This server does not go by that name.", status: 421)
    }
    if let origin = request.headers["origin"]?.lowercased(), origin != "http://\(host)" {
      return .text("A page of another origin asks.", status: 403)
    }
    // Cookies are sent for pages of other servers on this machine, too: they differ by their ports alone.
    if let site = request.headers["sec-fetch-site"], !["same-origin", "none"].contains(site),
      request.headers["sec-fetch-mode"] != "navigate"
    {
      return .text("A page of another server asks.", status: 403)
    }
    let cookie = Self.cookie(of: host)
    if request.path.isEmpty, let given = request.parameter("token") {
      guard isToken(given) else { return Self.unknown }
      return Self.welcome(
        cookie: "\(cookie)=\(token); Path=/; HttpOnly; SameSite=Strict")
    }
    guard let given = request.cookie(cookie), isToken(given) else { return Self.unknown }
    if request.method == "GET" || request.method == "HEAD" { return nil }
    guard request.headers["origin"] != nil, request.headers["x-explorer"] == "1" else {
      return .text("Only pages of this server may change something.", status: 403)
    }
    return nil
  }

  /// A page that leads on. A redirection would not do: where another site's page has the address as a link, browsers
  /// follow it without the cookie, but what a page of this server leads to is asked for with it.
  private static func welcome(cookie: String) -> WebResponse {
    let page: HTML = """
      <!doctype html>
      <html lang="en"><head><meta charset="utf-8"><title>Explorer</title>
      <meta http-equiv="refresh" content="0; url=/"></head>
      <body><p><a href="/">To the store</a></p></body></html>

      """
    return WebResponse(
      type: "text/html; charset=utf-8", headers: [("Set-Cookie", cookie)],
      body: .data(Data(page.text.utf8)))
  }

  /// What an answer depends on. Of two of a name, servers and what is between them may believe different ones.
  private static let deciding: Set<String> = [
    "host", "origin", "cookie", "x-explorer", "sec-fetch-site", "sec-fetch-mode",
  ]

  /// Whether a host is a name, or an address in brackets, and nothing else but a port: `localhost:80`, `[::1]:80`.
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
    // A sign would be a number's, too.
    (1...5).contains(text.utf8.count) && text.first?.isNumber == true && UInt16(text) != nil
  }

  private func isAllowed(_ host: String) -> Bool {
    let name = Self.name(of: host)
    return names.contains(name) || allowsAddresses && Self.isAddress(name)
  }

  /// The host without its port.
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

  /// Cookies know nothing of ports, and several explorers may run.
  private static func cookie(of host: String) -> String {
    let port = host.dropFirst(name(of: host).count).dropFirst()
    return "explorer-\(port.isEmpty ? "80" : String(port))"
  }

  private static var unknown: WebResponse {
    .text("Open the address that the explorer printed when it started.", status: 403)
  }

  /// Compares all characters, whichever differ: the time tells nothing.
  private func isToken(_ text: String) -> Bool {
    let (given, own) = (Array(text.utf8), Array(token.utf8))
    guard given.count == own.count else { return false }
    return zip(given, own).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
