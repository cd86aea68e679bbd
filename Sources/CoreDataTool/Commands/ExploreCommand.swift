import ArgumentParser
import CoreDataExplorer
import ExplorerServer
import Foundation
import StoreInspection

/// `coredata explore`: shows a store in the browser and keeps the pages up to date.
struct ExploreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explore",
    abstract: "Shows a store in the browser, live.",
    discussion: """
      Prints an address for the browser and serves until it is interrupted (SIGINT, SIGTERM, SIGHUP). By default, the \
      server accepts connections from this machine only; it always requires the token in that address. The store is \
      read-only unless --write is given. With --write, users can edit the store in the pages; an edit is written to \
      the store when a user saves it.

        coredata explore Contacts.sqlite
        coredata explore Contacts.sqlite --write --port 8080
        coredata explore Contacts.sqlite --host 0.0.0.0 --token-file token

      Every user of this machine can see command-line arguments. To keep a token secret, pass it in a file \
      (--token-file) or in the environment (\(ExplorerToken.variable)), not with --token.

      This command needs a build of the tool with the package trait Explorer, which adds the server: \
      swift run --traits Explorer coredata explore STORE
      """
  )

  @OptionGroup var arguments: StoreArguments
  @OptionGroup var readOnly: ReadOnlyOptions

  @Flag(help: "Allow pages to change the store.")
  var write = false

  @Flag(
    help: """
      With --write: allow writing even if the store belongs to a photo library or another process has it open.
      """)
  var anyway = false

  @Option(
    help: """
      Port to listen on; 0 for any free port. The default is derived from the store's path and the same at each \
      start, so that the browser finds its saved filters and column widths; if that port is taken, the server \
      uses a free one.
      """)
  var port: Int?

  @Option(help: "Address to listen on. An address that other machines can reach requires a token.")
  var host = "127.0.0.1"

  @Option(
    help: """
      Token of at least 16 characters, part of the printed address. The server answers only browsers that have opened \
      that address. The default is a new token at each start. Other users of this machine can see this argument; use \
      --token-file or \(ExplorerToken.variable) to hide it from them.
      """)
  var token: String?

  @Option(
    help: ArgumentHelp(
      "File whose first line is the token. Only its owner may have access to it.", valueName: "file"
    ))
  var tokenFile: String?

  func run() throws {
    #if Explorer
      if let port, !(0...65_535).contains(port) {
        throw Diagnostic(
          .usage, "--port \(port) is not a valid port",
          details: ["A port is a number from 0 to 65535."])
      }
      if write, readOnly.immutable {
        throw Diagnostic(.usage, "--write cannot be combined with --immutable")
      }
      if write, !anyway {
        let reasons = StoreProtection.reasonsAgainstWriting(to: arguments.store)
        guard reasons.isEmpty else {
          throw Diagnostic(
            .usage, "refusing to write to \(arguments.store)",
            details: reasons + ["Use --anyway to override."])
        }
      }
      let (admission, token) = try admission()
      // With --immutable, the files must stay unchanged. A store opened for writing moves its log when it closes.
      let keepsLog = write || readOnly.immutable
      try LeftLog.moving(of: arguments.store, model: arguments.model, unless: keepsLog) {
        let explorer = try Explorer(
          opening: arguments.store, model: arguments.model, isWritable: write,
          isImmutable: readOnly.immutable, admission: admission)
        let server = ExplorerServer(
          explorer, host: host, port: port ?? StorePort.preferred(for: arguments.store),
          isPreference: port == nil)
        try ServingTask().run(server, andClose: explorer) { [host] port in
          // An IPv6 address needs brackets in a URL, and 0.0.0.0 is not an address to connect to.
          let name = host.contains(":") ? "[\(host)]" : host == "0.0.0.0" ? "127.0.0.1" : host
          Console.current.output("http://\(name):\(port)/?token=\(token)\n")
          // Flush now, because the output is buffered and the command keeps running.
          Console.current.flush()
        }
      }
    #else
      throw Diagnostic(
        .usage, "this build of the tool has no server",
        details: [
          "Build it with the trait Explorer: swift run --traits Explorer coredata explore STORE"
        ])
    #endif
  }

  /// Decides which requests the server accepts.
  private func admission() throws -> (Admission, token: String) {
    let token = try ExplorerToken.resolve(option: token, file: tokenFile)
    let isOwn = ["127.0.0.1", "localhost", "::1"].contains(host)
    guard isOwn || token != nil else {
      throw Diagnostic(
        .usage, "\(host) is reachable from other machines: a token is required",
        details: [
          "Provide one with --token-file or in \(ExplorerToken.variable).",
          "Traffic is not encrypted: use this only on networks you trust.",
        ])
    }
    // A server that only this machine can reach needs a token, too, because other users of the machine can connect.
    let chosen = token ?? Admission.newToken()
    guard !isOwn else { return (Admission(token: chosen), chosen) }
    let names: Set<String> = [
      // Names under which this server can be reached. `Admission` rejects all others, because
      // another site can make its own name resolve to this machine.
      "127.0.0.1", "localhost", "[::1]", host.lowercased(),
      ProcessInfo.processInfo.hostName.lowercased(),
    ]
    return (Admission(token: chosen, names: names, allowsAddresses: true), chosen)
  }
}
