/// The numbers that store the order of an ordered relationship's members.
///
/// The numbers are those of Apple's stores: the first member gets 2048, and each further member 1024 more. A member
/// that is inserted between two others gets a number between theirs.
package enum OrderNumbers {
  package static let first: Int64 = 2048
  package static let step: Int64 = 1024
  private static let usual = -(Int64.max / 4)...(Int64.max / 4)

  /// Returns strictly ascending numbers, keeping as many of the present numbers as possible. If there is no room for a
  /// new member between two kept numbers, all numbers are new.
  ///
  /// - Parameter present: The numbers of the members, in the new order; nil for new members.
  package static func assign(_ present: [Int64?]) -> [Int64] {
    // Numbers near the limits of 64 bits leave no room for others, and occur only in damaged files.
    let present = present.map { $0.flatMap { usual.contains($0) ? $0 : nil } }
    // Each changed number is a row to write, so moving one member of many writes one row.
    let kept = LongestIncreasingRun.indices(of: present)
    var numbers = [Int64?](repeating: nil, count: present.count)
    for index in kept { numbers[index] = present[index] }
    var result: [Int64] = []
    result.reserveCapacity(present.count)
    var index = 0
    while index < numbers.count {
      if let number = numbers[index] {
        result.append(number)
        index += 1
        continue
      }
      var end = index
      while end < numbers.count, numbers[end] == nil { end += 1 }
      let count = Int64(end - index)
      let upper = end < numbers.count ? numbers[end] : nil
      switch (result.last, upper) {
      case (nil, nil): for place in 0..<count { result.append(first + place * step) }
      case (let lower?, nil): for place in 1...count { result.append(lower + place * step) }
      case (nil, let upper?):
        for place in 0..<count { result.append(upper - (count - place) * step) }
      case (let lower?, let upper?):
        // The gap is too small, so all members get new numbers.
        guard upper - lower > count else {
          return present.indices.map { first + Int64($0) * step }
        }
        // The product of the gap and a position may overflow.
        let (part, rest) = (upper - lower).quotientAndRemainder(dividingBy: count + 1)
        for place in 1...count {
          result.append(lower + part * place + rest * place / (count + 1))
        }
      }
      index = end
    }
    return result
  }
}

/// The longest subsequence of ascending values.
package enum LongestIncreasingRun {
  /// Returns the indexes of the values in the subsequence, which never contains nil.
  package static func indices(of values: [Int64?]) -> [Int] {
    // `tails[n]` is the last index of the subsequence of length n + 1 whose last value is the smallest.
    var tails: [Int] = []
    var previous = [Int](repeating: -1, count: values.count)
    for (index, value) in values.enumerated() {
      guard let value else { continue }
      let length = tails.indices.partitioningIndex { values[tails[$0]].map { $0 >= value } ?? true }
      if length > 0 { previous[index] = tails[length - 1] }
      if length == tails.count { tails.append(index) } else { tails[length] = index }
    }
    var run: [Int] = []
    var index = tails.last ?? -1
    while index >= 0 {
      run.append(index)
      index = previous[index]
    }
    return run.reversed()
  }
}
