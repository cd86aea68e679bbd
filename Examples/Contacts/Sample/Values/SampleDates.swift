import Foundation

/// The range of a sample's dates.
enum SampleDates {
  /// 2005-01-01 00:00 UTC.
  static let firstDay = Date(timeIntervalSinceReferenceDate: 126_230_400)
  /// 2026-01-01 00:00 UTC.
  static let lastDay = Date(timeIntervalSinceReferenceDate: 788_918_400)
}
