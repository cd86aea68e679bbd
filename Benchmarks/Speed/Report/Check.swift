import Foundation

/// Compares a run with the stored one, by ratios, because times depend on the machine.
struct Check {
  private let stored: [String: Outcome]

  init(_ file: URL) throws {
    let results = try JSONDecoder().decode([Outcome].self, from: Data(contentsOf: file))
    stored = Dictionary(results.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
  }

  /// Describes each ratio that grew by more than 15 percent and lies outside its stored spread.
  func regressions(of results: [Outcome]) -> [String] {
    results.flatMap { new in
      guard let old = stored[new.name] else { return [String]() }
      let ratios = [
        (new.floorName, old.ratioToFloor, new.ratioToFloor, old.spread.ratioToFloor),
        // Compared only if the fastest peer is the same.
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

  /// Returns the number of results that have a stored row.
  func known(of results: [Outcome]) -> Int { results.count { stored[$0.name] != nil } }
}
