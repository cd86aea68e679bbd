/// The result of a row of the table (a ``Comparison``): medians of the values for one item.
struct Outcome: Codable {
  let name: String
  let unit: String
  let ours: Double
  /// The floor's name, and its value.
  let floorName: String?
  let floor: Double?
  /// The fastest peer and its value, and the values of all peers.
  let peerName: String?
  let peer: Double?
  let peers: [String: Double]
  /// The medians of the ratios within a round.
  let ratioToFloor: Double?
  let ratioToPeer: Double?
  /// The bar for the ratio to the floor, or to the peer if the row has no floor.
  let bar: Double?
  /// Whether all bars are met; nil if the row has none.
  let met: Bool?
  /// All bars, including those for single peers.
  let bars: [Bar]
  /// The intervals in which the values lie.
  let spread: Spread
  /// The number of measured rounds.
  let rounds: Int
  let allocationsPerRow: Double?
  let floorAllocationsPerRow: Double?
  let peerAllocationsPerRow: Double?

  struct Bar: Codable {
    let against: String
    let ratio: Double
    let bar: Double
  }

  struct Spread: Codable {
    let ours: [Double]
    let ratioToFloor: [Double]?
    let ratioToPeer: [Double]?
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    // Encodes missing values as null instead of leaving them out.
    try container.encode(name, forKey: .name)
    try container.encode(unit, forKey: .unit)
    try container.encode(ours, forKey: .ours)
    try container.encode(floorName, forKey: .floorName)
    try container.encode(floor, forKey: .floor)
    try container.encode(peerName, forKey: .peerName)
    try container.encode(peer, forKey: .peer)
    try container.encode(peers, forKey: .peers)
    try container.encode(ratioToFloor, forKey: .ratioToFloor)
    try container.encode(ratioToPeer, forKey: .ratioToPeer)
    try container.encode(bar, forKey: .bar)
    try container.encode(met, forKey: .met)
    try container.encode(bars, forKey: .bars)
    try container.encode(spread, forKey: .spread)
    try container.encode(rounds, forKey: .rounds)
    try container.encode(allocationsPerRow, forKey: .allocationsPerRow)
    try container.encode(floorAllocationsPerRow, forKey: .floorAllocationsPerRow)
    try container.encode(peerAllocationsPerRow, forKey: .peerAllocationsPerRow)
  }
}

extension Outcome {
  /// - Returns: nil if the row was not measured.
  init?(_ comparison: Comparison, _ samples: Samples) {
    let names = MetricName(row: comparison.name)
    let find = { (name: String) in samples.values(comparison.name, name) }
    let values = { (name: String) in find(names.value(of: name)) }
    let ratio = { (name: String?) in name.flatMap { find(names.ratio(to: $0)) } }
    let allocations = { (name: String?) in
      name.flatMap { find(names.allocations(of: $0))?.median }
    }
    guard let own = values(Contest.ours) else { return nil }
    let peers = comparison.peers.compactMap { peer in values(peer).map { (peer, $0.median) } }
    let fastest = peers.min { $0.1 < $1.1 }?.0
    let all =
      (comparison.floor.map { [($0, comparison.bar)] } ?? [])
      + comparison.peers.map { ($0, comparison.peerBars[$0]) }
    bars = all.compactMap { name, bar in
      guard let bar, let ratio = ratio(name)?.median else { return nil }
      return Bar(against: name, ratio: ratio, bar: bar)
    }
    name = comparison.name
    unit = comparison.unit
    ours = own.median
    floorName = comparison.floor
    floor = comparison.floor.flatMap(values)?.median
    peerName = fastest
    peer = fastest.flatMap(values)?.median
    self.peers = Dictionary(uniqueKeysWithValues: peers)
    ratioToFloor = ratio(comparison.floor)?.median
    ratioToPeer = ratio(fastest)?.median
    bar = comparison.bar ?? comparison.peers.lazy.compactMap { comparison.peerBars[$0] }.first
    met = bars.isEmpty ? nil : bars.allSatisfy { $0.ratio <= $0.bar }
    spread = Spread(
      ours: own.spread, ratioToFloor: ratio(comparison.floor)?.spread,
      ratioToPeer: ratio(fastest)?.spread)
    rounds = own.count
    allocationsPerRow = allocations(Contest.ours)
    floorAllocationsPerRow = allocations(comparison.floor)
    peerAllocationsPerRow = allocations(fastest)
  }
}
