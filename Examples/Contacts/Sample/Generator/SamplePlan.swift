/// The number of rows of each entity in a sample, and their owners.
///
/// The numbers add up to exactly the requested one: about 37.5 % people, 30 % jobs, 20 % customers, 12 % players, 0.5 %
/// teams.
public struct SamplePlan: Sendable {
  /// How many rows a sample may have.
  public static let possibleRows = 10...1_000_000

  /// The seed of all random numbers.
  public let seed: UInt64
  /// The number of `Person` rows.
  public let people: Int
  /// The number of `Team` rows.
  public let teams: Int
  /// The number of `Player` rows; each belongs to one team.
  public let players: Int
  /// The number of `Customer` rows.
  public let customers: Int
  /// The number of `Job` rows; each belongs to one customer.
  public let jobs: Int

  let playerShares: Shares
  let jobShares: Shares
  let personOrder: Permutation
  let customerOrder: Permutation

  /// The number of rows of all entities together.
  public var rows: Int { people + teams + players + customers + jobs }

  /// Makes a plan for `rows` rows, clamped to ``possibleRows``. Uses a few bytes per customer and team.
  public init(rows: Int, seed: UInt64) {
    let range = Self.possibleRows
    let rows = min(max(rows, range.lowerBound), range.upperBound)
    self.seed = seed
    teams = max(1, rows / 200)
    players = rows * 12 / 100
    customers = rows / 5
    jobs = rows * 3 / 10
    people = rows - teams - players - customers - jobs

    // Few customers have many jobs, many have one or none; teams are nearly even.
    let jobWeights = [1, 1, 1, 2, 2, 3, 3, 4, 6, 9]
    jobShares = Shares(
      items: jobs,
      weights: (0..<customers).map { customer in
        var generator = SeededGenerator(seed: seed, stream: Stream.jobShare, index: customer)
        return generator.element(of: jobWeights)
      })
    playerShares = Shares(
      items: players,
      weights: (0..<teams).map { team in
        var generator = SeededGenerator(seed: seed, stream: Stream.playerShare, index: team)
        return generator.number(in: 18...26)
      })
    var generator = SeededGenerator(seed: seed, stream: Stream.order, index: 0)
    personOrder = Permutation(count: people, generator: &generator)
    customerOrder = Permutation(count: customers, generator: &generator)
  }

  /// The independent streams of random numbers. Never reuse a number for something else: that would change every sample
  /// made with the same seed.
  enum Stream {
    static let person: UInt64 = 1
    static let player: UInt64 = 3
    static let customer: UInt64 = 4
    static let job: UInt64 = 5
    static let jobShare: UInt64 = 6
    static let playerShare: UInt64 = 7
    static let order: UInt64 = 8
  }
}
