import FixtureSupport
import Testing

@testable import CoreDataExplorer

/// Tests which connection the plan closes to make room for another one while clients send incomplete
/// requests, or nothing.
struct ConnectionPlanTests {
  /// Opens a connection, and records the headers and the admission of a request. Returns the
  /// connections that the plan closed to make room.
  private func begin(_ id: Int, in plan: inout ConnectionPlan<Int>) -> [Int] {
    let place = plan.open(id)
    #expect(place.isOpen)
    let closed = [place.closed, plan.noteHeaders(of: id)].compactMap { $0 }
    plan.noteAdmission(of: id)
    return closed
  }

  @Test func `Incomplete requests hold at most a quarter of the connections`() {
    var plan = ConnectionPlan<Int>(limit: 16)
    var closed: [Int] = []
    for id in 0..<100 { closed += begin(id, in: &plan) }
    #expect(closed == Array(0..<96))
    // Complete requests are accepted, and no connection is closed whose request is being answered.
    closed = []
    for id in 1_000..<1_012 {
      closed += begin(id, in: &plan)
      plan.noteEnd(of: id)
    }
    // Four connections still had incomplete requests, so the headers of the first new request
    // exceeded the limit.
    #expect(closed == [96])
    let more = plan.open(2_000)
    #expect(more.isOpen && more.closed == nil)
    // Connections with incomplete requests are closed before those that wait for their next
    // request.
    plan.noteAnswer(of: 1_000)
    #expect(plan.open(2_001).closed == 2_000)
    plan.noteAdmission(of: 2_001)
    #expect(plan.open(2_002).closed == 97)
  }

  @Test func `A connection without an admitted request is closed before other connections`() {
    var plan = ConnectionPlan<Int>(limit: 8)
    #expect(begin(1, in: &plan) == [])
    _ = plan.open(2)
    #expect(plan.noteHeaders(of: 2) == nil)
    // The request is rejected, and its body never arrives.
    plan.noteAnswer(of: 2)
    #expect(begin(3, in: &plan) == [2])
    #expect(begin(4, in: &plan) == [1])
  }

  @Test
  func `A complete request keeps its connection open until answered; event streams close last`() {
    var plan = ConnectionPlan<Int>(limit: 4)
    for id in 0..<4 {
      #expect(begin(id, in: &plan) == [])
      plan.noteEnd(of: id)
    }
    #expect(!plan.open(9).isOpen)
    plan.noteEvents(of: 1)
    plan.noteEvents(of: 2)
    plan.noteAnswer(of: 3)
    #expect(plan.open(10).closed == 3)
    #expect(plan.open(11).closed == 10)
    plan.noteAdmission(of: 11)
    _ = plan.noteHeaders(of: 11)
    plan.noteEnd(of: 11)
    // The requests on 0 and 11 are being answered, so a reader of events is closed.
    #expect(plan.open(12).closed == 1)
    plan.close(12)
    #expect(plan.open(13).closed == nil)
  }

  @Test func `Any order of requests keeps the limits, and no answer is interrupted`() {
    var generator = SeededGenerator("connections")
    let limit = 12
    var plan = ConnectionPlan<Int>(limit: limit)
    // The expected state of each open connection.
    var answering: [Int: Bool] = [:]
    var receiving: Set<Int> = []
    func leave(_ id: Int?, besides own: Int) {
      guard let id else { return }
      #expect(id != own && answering[id] != nil)
      #expect(answering[id] == false || receiving.contains(id), "seed \(generator.seed)")
      answering[id] = nil
      receiving.remove(id)
    }
    for number in 0..<20_000 {
      let known = answering.keys.sorted()
      let id = known.isEmpty ? 0 : known[Int.random(in: 0..<known.count, using: &generator)]
      switch Int.random(in: 0..<6, using: &generator) {
      case 0, 1:
        let place = plan.open(number + 1)
        leave(place.closed, besides: number + 1)
        if place.isOpen { answering[number + 1] = false }
      case 2 where answering[id] == false && !receiving.contains(id):
        let closed = plan.noteHeaders(of: id)
        answering[id] = true
        receiving.insert(id)
        leave(closed, besides: id)
      case 3:
        plan.noteEnd(of: id)
        receiving.remove(id)
      case 4 where answering[id] == true:
        plan.noteAnswer(of: id)
        answering[id] = false
      case 5 where Bool.random(using: &generator):
        plan.close(id)
        answering[id] = nil
        receiving.remove(id)
      default: plan.noteAdmission(of: id)
      }
      #expect(answering.count <= limit && receiving.count <= limit / 4)
    }
  }
}
