/// The truth values of SQL's three-valued logic.
///
/// With these raw values, AND is the minimum, OR is the maximum, and NOT is the difference from 2.
enum Truth: UInt8 {
  case no = 0
  case unknown = 1
  case yes = 2

  @inline(__always)
  init(_ value: Bool) { self = value ? .yes : .no }

  init(_ value: Bool?) {
    if let value { self.init(value) } else { self = .unknown }
  }

  @inline(__always)
  var negated: Truth {
    switch self {
    case .no: .yes
    case .unknown: .unknown
    case .yes: .no
    }
  }
}
