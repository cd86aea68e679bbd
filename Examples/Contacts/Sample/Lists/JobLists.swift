/// Jobs that a small company does, the most frequent first.
enum JobLists {
  /// A kind of job with the range of its price in dollars.
  struct Kind: Sendable {
    let title: String
    let dollars: ClosedRange<Int>

    init(_ title: String, _ dollars: ClosedRange<Int>) {
      self.title = title
      self.dollars = dollars
    }
  }

  static let kinds: [Kind] = [
    Kind("Lawn mowing", 35...120), Kind("Gutter cleaning", 90...260),
    Kind("Window cleaning", 80...320), Kind("Drain cleaning", 110...400),
    Kind("Carpet cleaning", 95...380), Kind("Leaking faucet", 75...250),
    Kind("Hedge trimming", 60...240), Kind("Pressure washing", 150...500),
    Kind("Interior painting", 450...4_800), Kind("Water heater replacement", 900...2_600),
    Kind("Light fixtures", 120...900), Kind("Furnace inspection", 89...189),
    Kind("Air conditioner repair", 180...1_400), Kind("Fence repair", 200...1_800),
    Kind("Tree removal", 400...2_800), Kind("Tile floor", 800...5_500),
    Kind("Exterior painting", 1_800...9_500), Kind("Deck staining", 350...1_600),
    Kind("Roof repair", 400...3_500), Kind("New fence", 1_500...7_500),
    Kind("Electrical panel", 1_200...3_800), Kind("Garage door", 700...2_400),
    Kind("Driveway sealing", 250...900), Kind("Snow removal", 50...300),
    Kind("Bathroom renovation", 4_500...24_000), Kind("New deck", 4_000...18_000),
    Kind("Kitchen renovation", 9_000...55_000), Kind("New roof", 6_500...22_000),
    Kind("Solar panels", 11_000...32_000), Kind("Basement conversion", 15_000...60_000),
  ]
}
