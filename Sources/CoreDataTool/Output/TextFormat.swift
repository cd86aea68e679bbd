import ArgumentParser
import StoreInspection

/// The forms in which something that is no table is written.
enum TextFormat: String, CaseIterable, ExpressibleByArgument, Sendable {
  /// For people.
  case text
  /// For programs.
  case json
}
