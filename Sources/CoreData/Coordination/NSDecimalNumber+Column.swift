import Foundation

extension NSDecimalNumber {
  /// Whether a numeric column, which keeps whole numbers of 64 bits and doubles, would give another number back.
  var isRoundedByColumn: Bool {
    let text = stringValue
    if Int64(text) != nil { return false }
    guard let double = Double(text) else { return true }
    return !NSDecimalNumber(string: "\(double)").isEqual(self)
  }
}
