import Foundation

/// The days a sample's dates lie between.
enum SampleDates {
  /// 2005-01-01 00:00 UTC.
  static let firstDay = Date(timeIntervalSinceReferenceDate: 126_230_400)
  /// 2026-01-01 00:00 UTC.
  static let lastDay = Date(timeIntervalSinceReferenceDate: 788_918_400)
}
