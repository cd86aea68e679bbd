#if Explorer
  import CoreDataExplorer
  import NIOCore
  import NIOHTTP1
  import NIOHTTPTypes
  import NIOHTTPTypesHTTP1

  /// Closes a connection that keeps the server waiting for the end of a request, for the next request, or for the
  /// client to read a response.
  ///
  /// Use it on the connection's event loop only.
  final class ConnectionHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let places: ConnectionPlaces
    private let patience: ConnectionPatience
    /// The time-out for the next part of a request, or for the next request.
    private var requestEnd: Scheduled<Void>?
    /// The time-out for the client to read a response.
    private var readerEnd: Scheduled<Void>?
    /// The number of requests whose response has not ended.
    private var answering = 0
    /// The deadline for the body of a request.
    private var bodyEnd = NIODeadline.now()
    private var isReadingRequest = false

    init(_ places: ConnectionPlaces, _ patience: ConnectionPatience) {
      (self.places, self.patience) = (places, patience)
    }

    func handlerAdded(context: ChannelHandlerContext) {
      guard places.open(context.channel) else {
        context.close(promise: nil)
        return
      }
      let (places, channel) = (places, context.channel)
      channel.closeFuture.whenComplete { _ in places.close(channel) }
      let operations = context.pipeline.syncOperations
      if let codec = try? operations.handler(type: HTTP1ToHTTPServerCodec.self) {
        try? operations.addHandler(RequestTargetHandler(), position: .before(codec))
      }
      wait(context, patience.headers)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
      requestEnd?.cancel()
      readerEnd?.cancel()
    }

    /// Closes the connection after a time, unless this is called again or the time-out is cancelled.
    private func wait(_ context: ChannelHandlerContext, _ time: TimeAmount) {
      requestEnd?.cancel()
      requestEnd = Self.closing(context.channel, after: time)
    }

    /// Closes the connection if the next part of the body, or the whole body, misses its deadline.
    private func waitForBody(_ context: ChannelHandlerContext) {
      wait(context, min(patience.pause, bodyEnd - NIODeadline.now()))
    }

    private static func closing(_ channel: any Channel, after time: TimeAmount) -> Scheduled<Void> {
      channel.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      switch unwrapInboundIn(data) {
      case .head:
        answering += 1
        isReadingRequest = true
        places.noteHeaders(of: context.channel)
        bodyEnd = NIODeadline.now() + patience.body
        waitForBody(context)
      case .body: waitForBody(context)
      case .end:
        isReadingRequest = false
        places.note(context.channel) { $0.noteEnd(of: $1) }
        requestEnd?.cancel()
        // If the request was refused, its response may have ended before the request. Otherwise the idle
        // time begins at the end of the response.
        if answering == 0 { wait(context, patience.idle) }
      }
      context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
      if case .end = unwrapOutboundIn(data) {
        answering -= 1
        if answering == 0 {
          places.note(context.channel) { $0.noteAnswer(of: $1) }
          // A refused request is answered before its body is read. The deadline of the body then still applies.
          if !isReadingRequest { wait(context, patience.idle) }
        }
      }
      context.write(data, promise: promise)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
      readerEnd?.cancel()
      readerEnd =
        context.channel.isWritable ? nil : Self.closing(context.channel, after: patience.reading)
      context.fireChannelWritabilityChanged()
    }
  }

  /// Marks requests whose target is not a path, such as an absolute URL, because the handlers after this one would read
  /// it as a path.
  final class RequestTargetHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      if case .head(var head) = unwrapInboundIn(data), !head.uri.hasPrefix("/") {
        // No path begins with an asterisk, so the server refuses the request.
        head.uri = "*"
        context.fireChannelRead(wrapInboundOut(.head(head)))
      } else {
        context.fireChannelRead(data)
      }
    }
  }
#endif
