/// SQL's three-valued truth.
///
/// The numbers make AND the least, OR the greatest and NOT the difference from 2.
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
