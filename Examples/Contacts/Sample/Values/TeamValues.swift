/// What one `Team` row holds.
public struct TeamValues: Equatable, Sendable {
  /// City and mascot; no two teams of a sample share it.
  public var name: String
  /// The indexes of the team's players, consecutive.
  public var players: Range<Int>
}

extension SamplePlan {
  /// The values of team `index`, 0 ..< ``teams``.
  public func team(_ index: Int) -> TeamValues {
    let places = PlaceLists.places
    let mascots = PlaceLists.mascots
    let place = index % places.count
    let round = index / places.count
    // Shifting the mascot by the place keeps a small sample's mascots different.
    let mascot = mascots[(round + place * 7) % mascots.count]
    let suffix = ["", " Reserves", " Juniors"][min(round / mascots.count, 2)]
    return TeamValues(
      name: "\(places[place].city) \(mascot)\(suffix)", players: playerShares.items(of: index))
  }
}
