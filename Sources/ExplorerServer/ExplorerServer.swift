#if Explorer
  package import CoreDataExplorer
  import Foundation
  import HTTPTypes
  import Hummingbird
  import HummingbirdCore
  import Logging
  import NIOCore

  /// Serves the explorer over HTTP.
  ///
  /// It closes connections that are idle, send incomplete requests or do not read their responses
  /// (`ConnectionHandler`), and limits the number of open connections (`ConnectionPlaces`), so that
  /// clients cannot exhaust its file descriptors.
  package struct ExplorerServer: Sendable {
    /// The maximum size of a request's body: a value of 50 MB in base64, and the JSON around it.
    private static let largestBody = 72 << 20

    private let explorer: Explorer
    private let patience: ConnectionPatience
    private let host: String
    private let port: Int
    private let isPreference: Bool

    /// - Parameters:
    ///   - host: The address of this machine to listen on.
    ///   - port: The port to listen on; 0 for any free port.
    ///   - isPreference: Whether to use a free port if this one is taken.
    package init(
      _ explorer: Explorer, host: String, port: Int, isPreference: Bool = false,
      patience: ConnectionPatience = ConnectionPatience()
    ) {
      (self.explorer, self.host, self.port) = (explorer, host, port)
      (self.isPreference, self.patience) = (isPreference, patience)
    }

    /// Serves until the task is cancelled.
    ///
    /// - Parameter started: Called with the port when the server accepts requests.
    package func run(started: @escaping @Sendable (Int) async -> Void) async throws {
      do {
        try await serve(at: port, started)
      } catch let error as IOError where isPreference && error.errnoCode == EADDRINUSE {
        // Another explorer may show the same store, and its preferred port is the same. For port 0, the
        // system chooses a free one.
        try await serve(at: 0, started)
      }
    }

    private func serve(
      at port: Int, _ started: @escaping @Sendable (Int) async -> Void
    ) async throws {
      let explorer = explorer
      let (places, patience) = (ConnectionPlaces(), patience)
      let application = Application(
        responder: CallbackResponder<ConnectionContext> { request, context in
          try await Self.answer(to: request, by: explorer) {
            places.note(context.channel) { $0.noteAdmission(of: $1) }
          } readsEvents: {
            places.note(context.channel) { $0.noteEvents(of: $1) }
          }
        },
        server: .http1(
          configuration: HTTP1Channel.Configuration(
            additionalChannelHandlers: [ConnectionHandler(places, patience)])),
        configuration: .init(address: .hostname(host, port: port), serverName: nil),
        onServerRunning: { channel in await started(channel.localAddress?.port ?? 0) },
        logger: Self.logger)
      try await application.run()
    }

    /// The log level excludes requests, because their addresses contain what users search for.
    private static var logger: Logger {
      var logger = Logger(label: "explorer")
      logger.logLevel = .critical
      return logger
    }

    /// - Parameters:
    ///   - admitted: Called if the request is admitted.
    ///   - readsEvents: Called when the response is a stream of events, which has no end.
    private static func answer(
      to request: Request, by explorer: Explorer, _ admitted: () -> Void,
      readsEvents: () -> Void
    ) async throws -> Response {
      var headers = request.headers.map { ($0.name.rawName, $0.value) }
      // The authority is the value of HTTP/1.1's `Host` header.
      if let authority = request.head.authority { headers.append(("host", authority)) }
      func read(_ body: Data) -> WebRequest {
        WebRequest(
          method: request.method.rawValue, target: request.uri.string, headers: headers, body: body)
      }
      let answer: WebResponse
      // Check this before the body is read, so that a client that is not admitted cannot fill the
      // memory.
      if let refusal = explorer.refusal(of: read(Data())) {
        answer = refusal
      } else {
        admitted()
        let isRead = request.method == .get || request.method == .head
        let body = isRead ? ByteBuffer() : try await request.body.collect(upTo: largestBody)
        answer = await explorer.answer(to: read(Data(body.readableBytesView)))
      }
      if answer.isEvents { readsEvents() }
      return Response(
        status: .init(code: answer.status), headers: fields(answer.headers),
        body: Self.body(answer.body, for: request))
    }

    private static func fields(_ headers: [(name: String, value: String)]) -> HTTPFields {
      var fields = HTTPFields()
      for header in headers {
        guard let name = HTTPField.Name(header.name) else { continue }
        fields.append(HTTPField(name: name, value: header.value))
      }
      return fields
    }

    private static func body(_ body: WebResponse.Body, for request: Request) -> ResponseBody {
      switch body {
      case .data(let data): return ResponseBody(byteBuffer: ByteBuffer(bytes: data))
      case .stream(let parts):
        return ResponseBody { writer in
          // If the client closes the connection, this ends the sequence, which notifies its producer.
          try await request.body.consumeWithCancellationOnInboundClose { _ in
            for try await part in parts { try await writer.write(ByteBuffer(bytes: part)) }
          }
          try await writer.finish(nil)
        }
      }
    }
  }

  /// A request with the connection that it arrived on.
  private struct ConnectionContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
      coreContext = CoreRequestContextStorage(source: source)
      channel = source.channel
    }
  }
#endif
