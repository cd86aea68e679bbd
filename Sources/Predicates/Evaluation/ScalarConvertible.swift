/// A type whose values convert to a ``Scalar``.
package protocol ScalarConvertible {
  var scalar: Scalar { get }
}

extension Int: ScalarConvertible { package var scalar: Scalar { .integer(Int64(self)) } }
extension Int8: ScalarConvertible { package var scalar: Scalar { .integer(Int64(self)) } }
extension Int16: ScalarConvertible { package var scalar: Scalar { .integer(Int64(self)) } }
extension Int32: ScalarConvertible { package var scalar: Scalar { .integer(Int64(self)) } }
extension Int64: ScalarConvertible { package var scalar: Scalar { .integer(self) } }
extension UInt8: ScalarConvertible { package var scalar: Scalar { .integer(Int64(self)) } }
extension UInt16: ScalarConvertible { package var scalar: Scalar { .integer(Int64(self)) } }
extension UInt32: ScalarConvertible { package var scalar: Scalar { .integer(Int64(self)) } }
extension UInt64: ScalarConvertible {
  package var scalar: Scalar { Int64(exactly: self).map(Scalar.integer) ?? .unsigned(self) }
}
extension UInt: ScalarConvertible { package var scalar: Scalar { UInt64(self).scalar } }
extension Bool: ScalarConvertible { package var scalar: Scalar { .integer(self ? 1 : 0) } }
extension Double: ScalarConvertible { package var scalar: Scalar { .double(self) } }
extension Float: ScalarConvertible { package var scalar: Scalar { .double(Double(self)) } }
extension CGFloat: ScalarConvertible { package var scalar: Scalar { .double(Double(self)) } }
extension Decimal: ScalarConvertible { package var scalar: Scalar { .decimal(self) } }
extension String: ScalarConvertible { package var scalar: Scalar { .text(self) } }
extension Substring: ScalarConvertible { package var scalar: Scalar { .text(String(self)) } }
extension Character: ScalarConvertible { package var scalar: Scalar { .text(String(self)) } }
extension Date: ScalarConvertible { package var scalar: Scalar { .date(self) } }
extension Data: ScalarConvertible { package var scalar: Scalar { .data(self) } }
extension UUID: ScalarConvertible { package var scalar: Scalar { .uuid(self) } }
extension URL: ScalarConvertible { package var scalar: Scalar { .url(self) } }

extension NSNull: ScalarConvertible { package var scalar: Scalar { .null } }
extension NSString: ScalarConvertible {
  package var scalar: Scalar { .text(String(describing: self)) }
}
extension NSDate: ScalarConvertible {
  package var scalar: Scalar {
    .date(Date(timeIntervalSinceReferenceDate: timeIntervalSinceReferenceDate))
  }
}
extension NSData: ScalarConvertible {
  package var scalar: Scalar { .data(Data(referencing: self)) }
}
extension NSUUID: ScalarConvertible {
  package var scalar: Scalar { UUID(uuidString: uuidString).map(Scalar.uuid) ?? .other(self) }
}
extension NSURL: ScalarConvertible {
  package var scalar: Scalar { URL(string: absoluteString).map(Scalar.url) ?? .other(self) }
}
extension NSNumber: ScalarConvertible {
  package var scalar: Scalar {
    if let decimal = self as? NSDecimalNumber { return .decimal(decimal.decimalValue) }
    // Objective-C's codes for double, float and unsigned 64-bit integers.
    switch UInt8(bitPattern: objCType.pointee) {
    case UInt8(ascii: "d"), UInt8(ascii: "f"): return .double(doubleValue)
    case UInt8(ascii: "Q"): return uint64Value.scalar
    default: return .integer(int64Value)
    }
  }
}
