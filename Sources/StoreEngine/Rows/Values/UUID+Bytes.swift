extension UUID {
  /// Creates a UUID from its 16 bytes; nil for another number of bytes.
  package init?(bytes: Data) {
    guard bytes.count == 16 else { return nil }
    var value: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    withUnsafeMutableBytes(of: &value) { _ = bytes.copyBytes(to: $0) }
    self.init(uuid: value)
  }

  /// The 16 bytes.
  package var bytes: Data { withUnsafeBytes(of: uuid) { Data($0) } }
}
