#if Explorer
  package import NIOCore

  /// How long a connection may keep the server waiting before it is closed.
  package struct ConnectionPatience: Sendable {
    /// From opening a connection to the end of its first request's headers.
    package var headers: TimeAmount
    /// From the end of a request's headers to the end of its body.
    package var body: TimeAmount
    /// Between two parts of a request's body.
    package var pause: TimeAmount
    /// From a response to the end of the next request's headers.
    package var idle: TimeAmount
    /// How long the client may go without reading any of a response.
    package var reading: TimeAmount

    package init(
      headers: TimeAmount = .seconds(15), body: TimeAmount = .seconds(120),
      pause: TimeAmount = .seconds(20), idle: TimeAmount = .seconds(60),
      reading: TimeAmount = .seconds(60)
    ) {
      (self.headers, self.body, self.pause) = (headers, body, pause)
      (self.idle, self.reading) = (idle, reading)
    }
  }
#endif
