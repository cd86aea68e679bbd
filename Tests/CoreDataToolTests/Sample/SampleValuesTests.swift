import ContactsSample
import Foundation
import Testing

struct SampleValuesTests {
  private let plan = SamplePlan(rows: 20_000, seed: 2)

  @Test func `Ages are in the ranges of people and of players`() {
    let ages = (0..<plan.people).map { plan.person($0).age }
    #expect(ages.allSatisfy { (1...97).contains($0) })
    #expect(ages.contains { $0 < 18 })
    #expect(ages.contains { $0 > 80 })
    let players = (0..<plan.players).map { plan.player($0).age }
    #expect(players.allSatisfy { (17...39).contains($0) })
  }

  @Test func `First names match the generation`() {
    let people = (0..<plan.people).map { plan.person($0) }
    let dorothys = people.filter { $0.firstName == "Dorothy" }
    let old = dorothys.count { $0.age >= 60 }
    #expect(dorothys.count > 5)
    #expect(old * 4 > dorothys.count * 2)
  }

  @Test func `A city is in one state, and its postal codes have the same prefix`() {
    var states: [String: Set<String>] = [:]
    var codes: [String: Set<String>] = [:]
    for index in 0..<plan.customers {
      let customer = plan.customer(index)
      states[customer.city, default: []].insert(customer.state)
      codes[customer.city, default: []].insert(String(customer.zip.prefix(2)))
      #expect(customer.zip.count == 5)
    }
    #expect(states["Boston"] == ["MA"])
    #expect(codes["Boston"] == ["02"])
    #expect(states.values.allSatisfy { $0.count == 1 })
    #expect(codes.values.allSatisfy { $0.count == 1 })
    #expect(states.count > 50)
  }

  @Test func `An email address is made from the name and is unique`() {
    let customers = (0..<plan.customers).map { plan.customer($0) }
    let emails = customers.compactMap(\.email)
    #expect(Set(emails).count == emails.count)
    #expect((3_400...3_800).contains(emails.count))
    for customer in customers {
      guard let email = customer.email else { continue }
      #expect(email.utf8.allSatisfy { $0 < 0x80 && $0 != UInt8(ascii: " ") })
      #expect(email.contains("@example."))
      if customer.lastName == "Muñoz" { #expect(email.contains("munoz")) }
    }
  }

  @Test func `Jobs are in order of date, all after the customer's first day, and have an amount`() {
    let end = Date(timeIntervalSinceReferenceDate: 788_918_400)
    for index in 0..<plan.customers {
      let customer = plan.customer(index)
      let jobs = plan.jobs(of: customer)
      #expect(jobs.map { Int($0.displayOrder) } == Array(0..<customer.jobs.count))
      #expect(zip(jobs, jobs.dropFirst()).allSatisfy { $0.date <= $1.date })
      #expect(jobs.allSatisfy { $0.date > customer.customerSince && $0.date < end })
      #expect(jobs.allSatisfy { $0.amount >= 35 && $0.amount < 60_001 })
    }
  }

  @Test func `The jobs of a customer since a full hour are before 2026 too`() {
    let end = Date(timeIntervalSinceReferenceDate: 788_918_400)
    var customer = plan.customer(0)
    customer.customerSince = end - 2 * 3600
    customer.jobs = 0..<50
    #expect(plan.jobs(of: customer).allSatisfy { $0.date == end - 3600 })
  }

  @Test func `The text of the model equals the file beside the generator`() throws {
    let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let file = repository.appendingPathComponent(
      "Examples/Contacts/Contacts.xcdatamodeld/Contacts.xcdatamodel/contents")
    #expect(try Data(contentsOf: file) == ContactsModel.contents)
  }
}
