/// Finds the smallest set of numbers to rewrite when a row of an ascending list is moved.
///
/// Rows that keep their numbers keep their relative order, so the rewritten rows are a contiguous run in the new order.
/// Either the run contains the moved row and just enough rows on both sides that new numbers for all of them fit
/// between the numbers of the rows next to the run. Or, if that is shorter, the moved row keeps its number, and the run
/// contains the rows that it passed, with as many rows beyond its old position as necessary.
///
/// Numbers are represented by ordinals: an integer by itself, a floating-point number by its rank among all values of
/// its type. So the count of values between two numbers follows from the difference of their ordinals. O(r log r) for r
/// rewritten rows.
struct FewestRenumberings {
  /// The number at a position of the new order.
  enum Number {
    case ordinal(Int128)
    /// The row has no value, so it precedes all rows with a number.
    case none
    /// No row at this position limits the numbers.
    case open
  }

  /// The positions in the new order whose rows receive new numbers.
  let places: Range<Int>
  /// The lower bound of the new ordinals, exclusive; nil if there is none.
  let low: Int128?
  /// The upper bound of the new ordinals, exclusive; nil if there is none.
  let high: Int128?

  /// - Parameters:
  ///   - old: The moved row's position in the old order; nil if it comes from another list.
  ///   - place: Its position in the new order, which differs from `old`.
  ///   - domain: The allowed ordinals.
  ///   - number: Returns the number at a position of the new order; `open` beyond both ends.
  /// - Returns: Nil if there are more rows than numbers.
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
      // Existing numbers may violate the rules of the model, but new ones must not.
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
    // 128 bits, because the bounds can be one beyond the range of `Int64`, and differences of ordinals can be even
    // larger.
    let domain: ClosedRange<Int128>
    let number: (Int) throws -> Number

    /// Returns the exclusive lower bound that a row sets for the rows to its right if it keeps its number, and whether
    /// no row limits the numbers at this position.
    func low(_ place: Int) throws -> (ordinal: Int128, isEnd: Bool) {
      switch try number(place) {
      case .ordinal(let ordinal): (max(ordinal, domain.lowerBound - 1), false)
      case .none: (domain.lowerBound - 1, false)
      case .open: (domain.lowerBound - 1, true)
      }
    }

    /// Returns the exclusive upper bound that a row sets for the rows to its left if it keeps its number, and whether
    /// no row limits the numbers at this position.
    func high(_ place: Int) throws -> (ordinal: Int128, isEnd: Bool) {
      switch try number(place) {
      case .ordinal(let ordinal): (min(ordinal, domain.upperBound + 1), false)
      // No number precedes a missing value.
      case .none: (domain.lowerBound - 1, false)
      case .open: (domain.upperBound + 1, true)
      }
    }

    /// Returns the shortest run around the moved row in which all rows can be renumbered; nil if there is none.
    func around(_ place: Int) throws -> Range<Int>? {
      // With `a` rows on the left and `b` rows on the right, `a + b + 1` numbers must fit between the bounds, so
      // `(high - b) - (low + a) >= 2`.
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
        // All runs that are shorter than the depth have been examined.
        if let best, best.left + best.right <= depth || (leftEnded && rightEnded) {
          return (place - best.left)..<(place + best.right + 1)
        }
        if leftEnded, rightEnded { return nil }
        // Doubling keeps the number of examined rows proportional to the number of rewritten rows.
        depth *= 2
      }
    }

    private static func least(_ lows: [Int128], _ highs: [Int128]) -> (left: Int, right: Int)? {
      // Running maxima ascend, so a binary search finds the first one that is high enough.
      var most: [Int128] = []
      for high in highs { most.append(max(high, most.last ?? high)) }
      var best: (left: Int, right: Int)?
      for (left, low) in lows.enumerated() {
        // With this many rows on the left alone, no run is shorter than the best one.
        if let best, left >= best.left + best.right { break }
        let first = most.indices.partitioningIndex { most[$0] - low >= 2 }
        guard first < most.count else { continue }
        if let best, best.left + best.right <= left + first { continue }
        best = (left, first)
      }
      return best
    }

    /// Returns the shortest run that contains the rows that the moved row passed and that can be renumbered, while the
    /// moved row keeps its number; nil if no such run is shorter than `length`.
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
