import Foundation
import StoreInspection
import Testing

@testable import CoreDataExplorer

/// Sources: OWASP's cheat sheets on CSRF and DNS rebinding; RFC 6265bis, "SameSite".
@Suite("Admission to the explorer")
struct AdmissionTests {
  private let admission = Admission(token: "secret")

  private func status(
    _ target: String = "/api/store", method: String = "GET", host: String? = "localhost:80",
    cookie: String? = "explorer-80=secret", more: [(String, String)] = []
  ) -> Int? {
    var headers = more
    if let host { headers.append(("Host", host)) }
    if let cookie { headers.append(("Cookie", cookie)) }
    return admission.answer(
      to: WebRequest(method: method, target: target, headers: headers))?.status
  }

  @Test("The token in the first URL becomes a cookie, and is removed from the URL")
  func token() throws {
    let answer = try #require(
      admission.answer(
        to: WebRequest(method: "GET", target: "/?token=secret", headers: [("Host", "LOCALHOST:80")])
      ))
    // The response is a page and not a redirection: if the link is on another site's page, browsers follow a
    // redirection without sending the cookie.
    #expect(answer.status == 200)
    guard case .data(let page) = answer.body else {
      Issue.record("the response has no data")
      return
    }
    #expect(String(decoding: page, as: UTF8.self).contains("content=\"0; url=/\""))
    #expect(
      answer.headers.first { $0.name == "Set-Cookie" }?.value
        == "explorer-80=secret; Path=/; HttpOnly; SameSite=Strict")
    #expect(status("/?token=secret2", cookie: nil) == 403)
    #expect(status("/?token=", cookie: nil) == 403)
  }

  @Test("Requests without the cookie, for another host or from another origin are rejected")
  func refusals() {
    #expect(status() == nil)
    #expect(status(cookie: nil) == 403)
    #expect(status(cookie: "explorer-80=secreT") == 403)
    #expect(status(cookie: "explorer-81=secret") == 403)
    #expect(status(cookie: "a=b; explorer-80=secret") == nil)
    // RFC 9112, section 3.2.
    #expect(status(host: nil) == 400)
    #expect(status(host: "evil.example:80") == 421)
    #expect(status(host: "192.168.0.7:80") == 421)
    #expect(status(more: [("Origin", "http://evil.example")]) == 403)
    #expect(status(more: [("Origin", "http://localhost:80")]) == nil)
    #expect(status(more: [("Origin", "null")]) == 403)
  }

  @Test("Changes need the origin and a header that forms cannot send")
  func changes() {
    let origin = ("Origin", "http://localhost:80")
    #expect(status(method: "POST", more: [origin, ("X-Explorer", "1")]) == nil)
    #expect(status(method: "POST", more: [origin]) == 403)
    #expect(status(method: "POST", more: [("X-Explorer", "1")]) == 403)
    #expect(status(method: "DELETE", more: [("X-Explorer", "1")]) == 403)
  }

  @Test("A public explorer accepts any IP address and its own names, and no other host name")
  func addresses() {
    let open = Admission(token: "secret", names: ["box.local"], allowsAddresses: true)
    func status(_ host: String) -> Int? {
      let headers = [("Host", host), ("Cookie", "explorer-8080=secret")]
      return open.answer(to: WebRequest(method: "GET", target: "/", headers: headers))?.status
    }
    #expect(status("192.168.0.7:8080") == nil)
    #expect(status("[fe80::1]:8080") == nil)
    #expect(status("BOX.local:8080") == nil)
    #expect(status("evil.example:8080") == 421)
    #expect(status("192.168.0.7.evil.example:8080") == 421)
    #expect(status("300.1.1.1:8080") == 421)
  }

  @Test(
    "A Host header is a name with a port and nothing else, and there is only one",
    arguments: [
      "127.0.0.1:80.evil.example", "localhost:80@evil.example", "localhost:", "localhost:x",
      "localhost:99999", "localhost:080000", "[::1]x:80", "[::1", "local host:80", ":80", "",
      "user@localhost:80", "localhost:80, evil.example",
    ])
  func malformedHosts(host: String) {
    #expect(status(host: host, cookie: "explorer-80=secret") == 400)
  }

  @Test("Duplicate headers that admission depends on, and targets with a host name, are rejected")
  func ambiguousRequests() {
    #expect(status(more: [("Host", "evil.example")]) == 400)
    #expect(status(more: [("host", "localhost:80")]) == 400)
    #expect(
      status(more: [("Origin", "http://localhost:80"), ("origin", "http://evil.example")]) == 400)
    #expect(status(more: [("Cookie", "explorer-80=other")]) == 400)
    #expect(status("http://localhost:80/api/store") == 400)
    #expect(status("http://evil.example/api/store") == 400)
    #expect(status("*") == 400)
    #expect(status("") == 400)
    #expect(status("localhost:80") == 400)
  }

  @Test("A token comes from the owner's file, from the environment, or from an option")
  func givenTokens() throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: file) }
    func resolve(
      _ option: String? = nil, file: String? = nil, environment: [String: String] = [:]
    ) throws -> String? {
      try ExplorerToken.resolve(option: option, file: file, environment: environment)
    }
    let (one, other) = ("0123456789abcdef", "fedcba9876543210")
    #expect(try resolve() == nil)
    #expect(try resolve(one, environment: [ExplorerToken.variable: other]) == one)
    #expect(try resolve(environment: [ExplorerToken.variable: other]) == other)
    #expect(try resolve(environment: [ExplorerToken.variable: ""]) == nil)
    _ = FileManager.default.createFile(
      atPath: file.path, contents: Data("\(one)\nmore\n".utf8),
      attributes: [.posixPermissions: 0o600])
    #expect(try resolve(file: file.path, environment: [ExplorerToken.variable: other]) == one)
    #expect(throws: Diagnostic.self) { try resolve(other, file: file.path) }
    #expect(throws: Diagnostic.self) { try resolve("short") }
    #expect(throws: Diagnostic.self) { try resolve("0123456789abcde/") }
    #expect(throws: Diagnostic.self) { try resolve(environment: [ExplorerToken.variable: "short"]) }
    func write(_ text: String) throws {
      let handle = try FileHandle(forWritingTo: file)
      defer { try? handle.close() }
      try handle.truncate(atOffset: 0)
      try handle.write(contentsOf: Data(text.utf8))
    }
    let longest = String(repeating: "a", count: 4_096)
    try write("\(longest)\nmore\n")
    #expect(try resolve(file: file.path) == longest)
    try write("\(longest)b\n")
    #expect(throws: Diagnostic.self) { try resolve(file: file.path) }
    // A file that others can read is not secret, and a file that is not regular could block.
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file.path)
    #expect(throws: Diagnostic.self) { try resolve(file: file.path) }
    #expect(throws: Diagnostic.self) { try resolve(file: file.path + ".missing") }
    #expect(throws: Diagnostic.self) { try resolve(file: "/dev/null") }
    try FileManager.default.removeItem(at: file)
    #expect(mkfifo(file.path, 0o600) == 0)
    #expect(throws: Diagnostic.self) { try resolve(file: file.path) }
  }

  @Test("Tokens are long and unique")
  func tokens() {
    let tokens = (0..<100).map { _ in Admission.newToken() }
    #expect(Set(tokens).count == 100)
    #expect(tokens.allSatisfy { $0.count == 32 && $0.allSatisfy(\.isHexDigit) })
  }
}

@Suite("The port of a store")
struct StorePortTests {
  @Test("A store always has the same port, and different stores usually have different ports")
  func ports() {
    let first = StorePort.preferred(for: "/data/Contacts.sqlite")
    #expect(first == StorePort.preferred(for: "/data/../data/Contacts.sqlite"))
    let ports = (0..<100).map { StorePort.preferred(for: "/data/Store \($0).sqlite") }
    #expect(Set(ports).count > 90 && ports.allSatisfy { (20_000..<30_000).contains($0) })
  }
}

@Suite("Requests and strings of the explorer")
struct WebRequestTests {
  @Test("Paths and parameters are unescaped")
  func reading() {
    let request = WebRequest(
      method: "GET", target: "/entities/Ger%C3%A4t?where=name+%3D%20%27a%26b%27&sort=&sort=x&%zz",
      headers: [("X-A", "1"), ("x-a", "2")])
    #expect(request.path == ["entities", "Gerät"])
    #expect(request.parameter("where") == "name = 'a&b'")
    #expect(request.parameter("sort") == "x")
    #expect(request.parameters.last?.name == "%zz")
    #expect(request.headers["x-a"] == "1")
  }

  @Test("Text from a store is never markup, and contains no control or direction characters")
  func escaping() {
    let text = "<script>alert('1')</script>&\"\u{0}\u{1b}[31m\u{202e}\u{9f}"
    let page: HTML = "<p title=\"\(text)\">\(text)</p>"
    #expect(
      page.text.dropFirst(3).dropLast(4).allSatisfy { $0 != "<" }
        && !page.text.contains("<script"))
    #expect(
      !page.text.unicodeScalars.contains {
        $0.value < 9 || [0x1b, 0x9f, 0x202e].contains($0.value)
      })
    #expect(
      page.text.hasPrefix("<p title=\"&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;&quot;"))
  }
}
