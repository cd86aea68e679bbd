/// Finds the fewest numbers to rewrite when one row of an ascending list is put elsewhere.
///
/// Rows that keep their numbers keep their order among themselves, so what is rewritten is one run of
/// neighbours: the row itself with as many on its left and right as are needed until the numbers between
/// those that stay suffice, or, where that is less, the rows that it passed, and it keeps its own number.
///
/// Numbers are ordinals: of integers they themselves, of floating numbers their rank among all of their
/// type, so that what fits between two of them is always a subtraction. O(r log r) for r rewritten rows.
struct FewestRenumberings {
  /// What a place of the new order has.
  enum Number {
    case ordinal(Int128)
    /// No value: it comes before all numbers.
    case none
    /// No row that matters: whatever fits is right.
    case open
  }

  /// The places in the new order whose rows get new numbers.
  let places: Range<Int>
  /// The ordinal that all of them have to be above; nil for the least there is.
  let low: Int128?
  /// The ordinal that all of them have to be below; nil for the greatest there is.
  let high: Int128?

  /// - Parameters:
  ///   - old: the moved row's place in the old order.
  ///   - place: its place in the new one; other than `old`, or from another list where that is nil.
  ///   - domain: the ordinals that may be given.
  ///   - number: what a place of the new order has; `open` beyond both ends.
  /// - Returns: nil where there are more rows than numbers.
  init?(
    from old: Int?, to place: Int, domain: ClosedRange<Int128>,
    number: @escaping (Int) throws -> Number
  ) throws {
    let search = Search(domain: domain, number: number)
    var best = try search.around(place)
    if let old, let past = try search.passed(old, place, below: best?.count ?? Int.max) {
      best = past
    }
    guard let best else { return nil }
    places = best
    if case .ordinal(let ordinal) = try number(best.lowerBound - 1) {
      low = max(ordinal, domain.lowerBound - 1)
    } else {
      low = nil
    }
    if case .ordinal(let ordinal) = try number(best.upperBound) {
      high = min(ordinal, domain.upperBound + 1)
    } else {
      high = nil
    }
  }

  private struct Search {
    let domain: ClosedRange<Int128>
    let number: (Int) throws -> Number

    /// The greatest ordinal that is too low right of a row that stays, and whether rows go on there.
    func low(_ place: Int) throws -> (ordinal: Int128, isEnd: Bool) {
      switch try number(place) {
      case .ordinal(let ordinal): (max(ordinal, domain.lowerBound - 1), false)
      case .none: (domain.lowerBound - 1, false)
      case .open: (domain.lowerBound - 1, true)
      }
    }

    /// The least ordinal that is too high left of a row that stays.
    func high(_ place: Int) throws -> (ordinal: Int128, isEnd: Bool) {
      switch try number(place) {
      case .ordinal(let ordinal): (min(ordinal, domain.upperBound + 1), false)
      // Nothing is below what has no value.
      case .none: (domain.lowerBound - 1, false)
      case .open: (domain.upperBound + 1, true)
      }
    }

    /// The run around the row that is rewritten itself.
    func around(_ place: Int) throws -> Range<Int>? {
      // With a rows on the left and b on the right, a + b + 1 numbers have to fit: by sides,
      // (high - b) - (low + a) >= 2.
      var lows: [Int128] = []
      var highs: [Int128] = []
      var (leftEnded, rightEnded) = (false, false)
      var depth = 1
      while true {
        while lows.count <= depth, !leftEnded {
          let (ordinal, isEnd) = try low(place - 1 - lows.count)
          lows.append(ordinal + Int128(lows.count))
          leftEnded = isEnd
        }
        while highs.count <= depth, !rightEnded {
          let (ordinal, isEnd) = try high(place + 1 + highs.count)
          highs.append(ordinal - Int128(highs.count))
          rightEnded = isEnd
        }
        let best = Self.least(lows, highs)
        // Whatever is less than the depth has been looked at.
        if let best, best.left + best.right <= depth || (leftEnded && rightEnded) {
          return (place - best.left)..<(place + best.right + 1)
        }
        if leftEnded, rightEnded { return nil }
        depth *= 2
      }
    }

    private static func least(_ lows: [Int128], _ highs: [Int128]) -> (left: Int, right: Int)? {
      var most: [Int128] = []
      for high in highs { most.append(max(high, most.last ?? high)) }
      var best: (left: Int, right: Int)?
      for (left, low) in lows.enumerated() {
        if let best, left >= best.left + best.right { break }
        let first = most.indices.partitioningIndex { most[$0] - low >= 2 }
        guard first < most.count else { continue }
        if let best, best.left + best.right <= left + first { continue }
        best = (left, first)
      }
      return best
    }

    /// The run of the rows that the moved one passed, if it is shorter than a length; it stays itself.
    func passed(_ old: Int, _ place: Int, below length: Int) throws -> Range<Int>? {
      var count = abs(place - old)
      if old < place {
        let end = try high(place)
        while count < length {
          let start = try low(place - count - 1)
          if end.ordinal - start.ordinal - 1 >= count { return (place - count)..<place }
          if start.isEnd { return nil }
          count += 1
        }
      } else {
        let start = try low(place)
        while count < length {
          let end = try high(place + count + 1)
          if end.ordinal - start.ordinal - 1 >= count {
            return (place + 1)..<(place + count + 1)
          }
          if end.isEnd { return nil }
          count += 1
        }
      }
      return nil
    }
  }
}
