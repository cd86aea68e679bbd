import ArgumentParser
import CoreDataExplorer
import ExplorerServer
import Foundation
import StoreInspection

/// `coredata explore`: a store, live, in the browser.
struct ExploreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explore",
    abstract: "Shows a store in the browser, live.",
    discussion: """
      Prints an address for the browser, and serves until it is interrupted (SIGINT, SIGTERM, SIGHUP). Only this machine \
      can reach it, and only with that address. The store is only read, unless --write is said: then pages may \
      change it, and what they change is saved when somebody says so.

        coredata explore Contacts.sqlite
        coredata explore Contacts.sqlite --write --port 8080
        coredata explore Contacts.sqlite --host 0.0.0.0 --token-file token

      Arguments can be seen by every user of this machine: a token that shall stay a secret comes from a file \
      (--token-file) or from the environment (\(ExplorerToken.variable)), not from --token.

      It takes a build of the tool with the package's trait Explorer, which brings the server: \
      swift run --traits Explorer coredata explore STORE
      """
  )

  @OptionGroup var arguments: StoreArguments
  @OptionGroup var readOnly: ReadOnlyOptions

  @Flag(help: "Let pages change the store.")
  var write = false

  @Flag(
    help: """
      With --write: also where the store belongs to a photo library or another process has it open.
      """)
  var anyway = false

  @Option(
    help: """
      The port to be asked at; 0 for one that is free. Without it one that follows from the store's path, the same \
      at each start, so that the browser finds its filters and widths again; where that is taken, one that is free.
      """)
  var port: Int?

  @Option(help: "The address to be asked at. One that others can reach takes a token.")
  var host = "127.0.0.1"

  @Option(
    help: """
      What the first address has to say, at least 16 characters; without it a new one at each start. Other users of \
      this machine can see it here: --token-file and \(ExplorerToken.variable) keep it from them.
      """)
  var token: String?

  @Option(
    help: ArgumentHelp(
      "The token from the first line of a file that only its owner can read.", valueName: "file"))
  var tokenFile: String?

  func run() throws {
    #if Explorer
      if let port, !(0...65_535).contains(port) {
        throw Diagnostic(
          .usage, "--port \(port) is no port", details: ["A port is from 0 to 65535."])
      }
      if write, readOnly.immutable {
        throw Diagnostic(.usage, "--write changes the store, and --immutable forbids that")
      }
      if write, !anyway {
        let reasons = StoreProtection.reasonsAgainstWriting(to: arguments.store)
        guard reasons.isEmpty else {
          throw Diagnostic(
            .usage, "\(arguments.store) is better not changed",
            details: reasons + ["--anyway does it."])
        }
      }
      let (admission, token) = try admission()
      let log = LeftLog(of: arguments.store)
      let explorer = try Explorer(
        opening: arguments.store, model: arguments.model, isWritable: write,
        isImmutable: readOnly.immutable, admission: admission)
      let server = ExplorerServer(
        explorer, host: host, port: port ?? StorePort.preferred(for: arguments.store),
        isPreference: port == nil)
      // A store that is read as evidence stays as it is; one that is open for writing moves its log when it closes.
      defer { if !write, !readOnly.immutable { log.moveIntoStore(model: arguments.model) } }
      try ServingTask(server) { [host] port in
        let name = host.contains(":") ? "[\(host)]" : host == "0.0.0.0" ? "127.0.0.1" : host
        Console.current.output("http://\(name):\(port)/?token=\(token)\n")
        Console.current.flush()
      }.wait(andClose: explorer)
    #else
      throw Diagnostic(
        .usage, "this build of the tool has no server",
        details: ["Build it with the trait: swift run --traits Explorer coredata explore STORE"])
    #endif
  }

  /// Who may ask.
  private func admission() throws -> (Admission, token: String) {
    let token = try ExplorerToken.resolve(option: token, file: tokenFile)
    let isOwn = ["127.0.0.1", "localhost", "::1"].contains(host)
    guard isOwn || token != nil else {
      throw Diagnostic(
        .usage, "others can reach \(host), so it takes a token",
        details: [
          "Give it by --token-file, or in \(ExplorerToken.variable).",
          "It goes over the network as it is: use it in networks whose members you trust.",
        ])
    }
    let chosen = token ?? Admission.newToken()
    guard !isOwn else { return (Admission(token: chosen), chosen) }
    let names: Set<String> = [
      "127.0.0.1", "localhost", "[::1]", host.lowercased(),
      ProcessInfo.processInfo.hostName.lowercased(),
    ]
    return (Admission(token: chosen, names: names, allowsAddresses: true), chosen)
  }
}
