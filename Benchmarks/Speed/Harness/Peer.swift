/// The names of those who do the same.
enum Peer {
  /// SQL, prepared once, its values by place.
  static let statements = "GRDB prepared statements"
  /// Records that say themselves how they are written and read.
  static let records = "GRDB records"
  /// Records whose coding is the compiler's.
  static let codable = "GRDB Codable records"
  /// What reads everything again after a change.
  static let observation = "GRDB ValueObservation"

  static let grdb = [statements, records, codable]
}
