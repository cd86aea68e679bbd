/// Formats counts for people.
package enum CountText {
  /// Returns the number with a comma after every three digits: 1,234,567.
  package static func grouped(_ count: Int) -> String {
    let digits = String(count.magnitude)
    var result = count < 0 ? "-" : ""
    for (offset, digit) in digits.enumerated() {
      if offset > 0, (digits.count - offset).isMultiple(of: 3) { result.append(",") }
      result.append(digit)
    }
    return result
  }

  /// Returns a number of rows: "no rows", "1 row", "1,234 rows".
  package static func rows(_ count: Int) -> String {
    counted(count, "row")
  }

  /// Returns a number with a noun. Without `plural`, the plural is the noun with an s.
  package static func counted(_ count: Int, _ noun: String, plural: String? = nil) -> String {
    switch count {
    case 0: "no \(plural ?? noun + "s")"
    case 1: "1 \(noun)"
    default: "\(grouped(count)) \(plural ?? noun + "s")"
    }
  }

  /// Returns a size with decimal units (1 KB is 1,000 bytes): "812 bytes", "12 KB", "3.4 MB".
  package static func bytes(_ count: Int) -> String {
    guard count >= 1_000 else { return count == 1 ? "1 byte" : "\(count) bytes" }
    var amount = Double(count) / 1_000
    var unit = "KB"
    // From this amount on, rounding would print 1000.
    for larger in ["MB", "GB", "TB"] where amount >= 999.5 {
      amount /= 1_000
      unit = larger
    }
    let tenths = Int((amount * 10).rounded())
    // One decimal if it is significant: 1.5 KB, but 12 KB and 3 MB.
    return tenths >= 100 || tenths.isMultiple(of: 10)
      ? "\(Int(amount.rounded())) \(unit)" : "\(tenths / 10).\(tenths % 10) \(unit)"
  }
}
