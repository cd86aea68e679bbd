import Foundation

/// Whether a run is worse than the one that is stored: by ratios, for times are the machine's.
struct Check {
  private let stored: [String: Outcome]

  init(_ file: URL) throws {
    let results = try JSONDecoder().decode([Outcome].self, from: Data(contentsOf: file))
    stored = Dictionary(results.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
  }

  /// What got worse: by more than 15 of 100, and beyond what was seen when it was stored.
  func regressions(of results: [Outcome]) -> [String] {
    results.flatMap { new in
      guard let old = stored[new.name] else { return [String]() }
      let ratios = [
        (new.floorName, old.ratioToFloor, new.ratioToFloor, old.spread.ratioToFloor),
        // Another peer may be the fastest now.
        new.peerName == old.peerName
          ? (new.peerName, old.ratioToPeer, new.ratioToPeer, old.spread.ratioToPeer)
          : (nil, nil, nil, nil),
      ]
      return ratios.compactMap { name, old, new_, spread in
        guard let name, let old, let ratio = new_, let spread,
          ratio > old * 1.15, ratio > spread[1]
        else { return nil }
        return "\(new.name): \(Table.ratio(old)) to \(Table.ratio(ratio)) times \(name)"
      }
    }
  }

  /// How many of the rows are stored.
  func known(of results: [Outcome]) -> Int { results.count { stored[$0.name] != nil } }
}
