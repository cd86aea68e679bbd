/// The names of the peers.
enum Peer {
  /// Statements that are prepared once, with values by position.
  static let statements = "GRDB prepared statements"
  /// Records that implement their own encoding and decoding.
  static let records = "GRDB records"
  /// Records with `Codable` conformances that the compiler synthesizes.
  static let codable = "GRDB Codable records"
  /// An observation, which reads everything again after a change.
  static let observation = "GRDB ValueObservation"

  static let grdb = [statements, records, codable]
}
