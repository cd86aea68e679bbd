import Foundation
import Testing

@testable import ContactsSample

struct SamplePlanTests {
  @Test(arguments: [10, 11, 99, 200, 1_000, 10_007, 1_000_000])
  func `The rows of all entities add up to the requested number`(rows: Int) {
    let plan = SamplePlan(rows: rows, seed: 1)
    #expect(plan.rows == rows)
    #expect(min(plan.people, plan.teams, plan.players, plan.customers, plan.jobs) >= 1)
  }

  @Test func `A number of rows out of range is clamped`() {
    #expect(SamplePlan(rows: 0, seed: 1).rows == 10)
    #expect(SamplePlan(rows: 2_000_000, seed: 1).rows == 1_000_000)
  }

  @Test func `The first rows of seed 1 have the expected values on every machine`() throws {
    let plan = SamplePlan(rows: 1_000, seed: 1)
    let counts: [Int] = [plan.people, plan.teams, plan.players, plan.customers, plan.jobs]
    #expect(counts == [375, 5, 120, 200, 300])
    #expect(
      plan.person(0)
        == PersonValues(firstName: "Virginia", lastName: "Roberts", age: 23, displayOrder: 27))
    #expect(
      plan.person(374)
        == PersonValues(firstName: "Laura", lastName: "Adams", age: 50, displayOrder: 103))
    #expect(plan.team(4) == TeamValues(name: "Phoenix Griffins", players: 96..<120))
    #expect(plan.player(119) == PlayerValues(name: "Olivia Gonzalez", age: 25))
    let customer = plan.customer(1)
    #expect(
      customer
        == CustomerValues(
          firstName: "Gary", lastName: "Miller", address: "4652 Railroad St", city: "Tampa",
          state: "FL", zip: "33611", email: "gary.miller2@example.org",
          customerSince: try Date("2015-12-22T22:41:00Z", strategy: .iso8601), displayOrder: 177,
          jobs: 0..<2))
    #expect(
      plan.jobs(of: customer).last
        == JobValues(
          title: "New roof", displayOrder: 1, amount: Decimal(string: "12224.50")!,
          date: try Date("2019-11-07T06:00:00Z", strategy: .iso8601)))
  }

  @Test func `The generator is SplitMix64`() {
    // The first numbers of the reference implementation for the seed 0.
    var generator = SeededGenerator(seed: 0)
    #expect(generator.next() == 0xE220_A839_7B1D_CDAF)
    #expect(generator.next() == 0x6E78_9E6A_A1B9_65F4)
    #expect(generator.next() == 0x06C4_5D18_8009_454F)
  }

  @Test func `The same seed creates the same rows, and another seed creates different rows`() {
    let (a, b, c) = (
      SamplePlan(rows: 500, seed: 7), SamplePlan(rows: 500, seed: 7), SamplePlan(rows: 500, seed: 8)
    )
    #expect((0..<a.people).allSatisfy { a.person($0) == b.person($0) })
    #expect((0..<a.customers).allSatisfy { a.customer($0) == b.customer($0) })
    let equal = (0..<a.people).count { a.person($0) == c.person($0) }
    #expect(equal < 5)
  }

  @Test(arguments: [10, 1_000, 20_000])
  func `A display order numbers the rows without gaps`(rows: Int) {
    let plan = SamplePlan(rows: rows, seed: 3)
    let people = (0..<plan.people).map { Int(plan.person($0).displayOrder) }
    #expect(people.sorted() == Array(0..<plan.people))
    let customers = (0..<plan.customers).map { Int(plan.customer($0).displayOrder) }
    #expect(customers.sorted() == Array(0..<plan.customers))
    if rows > 10 { #expect(people != people.sorted()) }
  }

  @Test(arguments: [10, 1_000, 20_000])
  func `Every job has one customer, and every player has one team`(rows: Int) {
    let plan = SamplePlan(rows: rows, seed: 4)
    #expect((0..<plan.customers).flatMap { plan.customer($0).jobs } == Array(0..<plan.jobs))
    #expect((0..<plan.teams).flatMap { plan.team($0).players } == Array(0..<plan.players))
  }

  @Test func `Customers have different numbers of jobs`() {
    let plan = SamplePlan(rows: 20_000, seed: 5)
    let counts = (0..<plan.customers).map { plan.customer($0).jobs.count }
    #expect(counts.count { $0 == 0 } > plan.customers / 20)
    #expect((counts.max() ?? 0) >= 4)
  }

  @Test func `The teams of the largest sample have different names`() {
    let plan = SamplePlan(rows: 1_000_000, seed: 1)
    #expect(Set((0..<plan.teams).map { plan.team($0).name }).count == plan.teams)
  }
}
