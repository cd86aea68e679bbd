/// The values of one `Team` row.
public struct TeamValues: Equatable, Sendable {
  /// City and mascot; unique in a sample.
  public var name: String
  /// The consecutive indexes of the team's players.
  public var players: Range<Int>
}

extension SamplePlan {
  /// Returns the values of team `index`, which is in 0 ..< ``teams``.
  public func team(_ index: Int) -> TeamValues {
    let places = PlaceLists.places
    let mascots = PlaceLists.mascots
    let place = index % places.count
    let round = index / places.count
    // Shifting the mascot by the place avoids repeated mascots in a small sample.
    let mascot = mascots[(round + place * 7) % mascots.count]
    let suffix = ["", " Reserves", " Juniors"][min(round / mascots.count, 2)]
    return TeamValues(
      name: "\(places[place].city) \(mascot)\(suffix)", players: playerShares.items(of: index))
  }
}
