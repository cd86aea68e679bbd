import Observation
import Testing

@testable import CoreData
@testable import DeclarativeCoreData

/// Live results for code that uses Observation. Names and initializers are those of SwiftUI's
/// FetchRequest and SectionedFetchRequest in Apple's documentation.
@Suite("Fetched results as collections", .onEveryStore)
struct FetchedResultsTests {
  private func run(
    _ body: (NSManagedObjectContext, [ListedPlayer]) throws -> Void
  ) throws {
    let model = SampleStack.makeModel()
    for name in ["Player", "Captain"] {
      model.entitiesByName[name]?.managedObjectClassName = "CoreDataTests.ListedPlayer"
    }
    try SampleStack.withContext(model: model) { context in
      let players = [("Ann", 1), ("Bob", 2), ("Cem", 2)].compactMap {
        context.insert("Player", ["name": $0.0, "age": $0.1]) as? ListedPlayer
      }
      try context.save()
      try body(context, players)
    }
  }

  private func request() -> NSFetchRequest<ListedPlayer> {
    let request = NSFetchRequest<ListedPlayer>(entityName: "Player")
    request.sortDescriptors = ["age", "name"].map { NSSortDescriptor(key: $0, ascending: true) }
    return request
  }

  /// Returns whether the observer of what a closure reads is notified while another closure runs.
  private func notifies(of read: () -> Void, when body: () throws -> Void) rethrows -> Bool {
    let isNotified = Unchecked(false)
    withObservationTracking(read) { isNotified.value = true }
    try body()
    return isNotified.value
  }

  @Test("have their new rows already when observers are notified of a changed request")
  func notifiedAfterwards() throws {
    try run { context, _ in
      let results = Unchecked(FetchedResults(request(), context: context))
      let seen = Unchecked<[String]>([])
      @Sendable func look() {
        let rows = results.value
        seen.value.append("\(rows.count) \(rows.fetchError == nil)")
      }
      withObservationTracking(look) { look() }
      results.value.nsPredicate = NSPredicate(format: "age == 2")
      #expect(seen.value == ["3 true", "2 true"])
      withObservationTracking(look) { look() }
      results.value.nsPredicate = NSPredicate(format: "nothing == 2")
      #expect(seen.value.last == "2 false")
    }
  }

  @Test("have the current rows, and notify observers when they change")
  func rows() throws {
    try run { context, players in
      let results = FetchedResults(request(), context: context)
      #expect(Array(results) == players && results.count == 3 && results[1] === players[1])
      #expect(results.map(\.name) == ["Ann", "Bob", "Cem"])
      #expect(results.fetchError == nil)
      let isNotified = notifies(of: { _ = results.count }) {
        context.insert("Player", ["name": "Dan", "age": 0])
        context.processPendingChanges()
      }
      #expect(isNotified && results.map(\.name) == ["Dan", "Ann", "Bob", "Cem"])
      #expect(
        self.notifies(of: { _ = results.first }) {
          players[2].setValue("Cemal", forKey: "name")
          context.processPendingChanges()
        })
      #expect(
        !self.notifies(of: { _ = results.first }) {
          context.insert("Team", ["name": "Red"])
          context.processPendingChanges()
        })
      try context.save()
      context.reset()
      #expect(results.isEmpty)
    }
  }

  /// Source: SwiftUI's FetchRequest, whose documentation has `@FetchRequest(sortDescriptors: [])`.
  @Test(
    "without sort descriptors have the order of their IDs, and update",
    .only(TestedStore.allCases, "custom stores assign their own reference objects"))
  func unsorted() throws {
    try run { context, players in
      let results = CurrentList(context).players
      #expect(results.fetchError == nil && Array(results) == players)
      let new = context.insert("Player", ["name": "Aaron", "age": 0])
      try context.save()
      #expect(results.last === new && results.count == 4)
      context.delete(players[0])
      try context.save()
      #expect(results.map(\.name) == ["Bob", "Cem", "Aaron"])
      let sorted = FetchedResults(request(), context: context)
      sorted.nsSortDescriptors = []
      #expect(sorted.fetchError == nil && sorted.map(\.name) == ["Bob", "Cem", "Aaron"])
      let missing = NSFetchRequest<ListedPlayer>(entityName: "Player")
      let none = FetchedResults(missing, context: context)
      #expect(none.isEmpty)
      #expect(none.fetchError?.localizedDescription.contains("sort descriptors") == true)
    }
  }

  @Test("are fetched again when the predicate or the order is set")
  func setting() throws {
    try run { context, players in
      let results = FetchedResults(request(), context: context)
      #expect(results.nsPredicate == nil && results.nsSortDescriptors.count == 2)
      let isNotified = notifies(of: { _ = results.isEmpty }) {
        results.nsPredicate = NSPredicate(format: "age > 1")
      }
      #expect(isNotified && results.map(\.name) == ["Bob", "Cem"])
      let isNotifiedOfRequest = self.notifies(of: { _ = results.nsPredicate }) {
        results.nsPredicate = nil
      }
      #expect(isNotifiedOfRequest && results.count == 3)
      results.sortDescriptors = [SortDescriptor(\ListedPlayer.name, order: .reverse)]
      #expect(results.map(\.name) == ["Cem", "Bob", "Ann"])
      #expect(results.sortDescriptors.count == 1 && results.nsSortDescriptors.count == 1)
      results.nsSortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
      #expect(results.first?.name == "Ann" && results.sortDescriptors.isEmpty)
      // An invalid predicate leaves the rows unchanged.
      results.nsPredicate = NSPredicate(format: "nosuch > 1")
      #expect(results.fetchError != nil && results.count == 3)
      results.nsPredicate = NSPredicate(format: "age == 1")
      #expect(results.fetchError == nil && results.count == 1)
    }
  }

  @Test("update after an invalid first fetch was corrected")
  func corrected() throws {
    try run { context, players in
      let request = request()
      request.predicate = NSPredicate(format: "nosuch > 1")
      let results = FetchedResults(request, context: context)
      #expect(results.isEmpty && results.fetchError != nil)
      results.nsPredicate = NSPredicate(format: "age > 0")
      #expect(results.fetchError == nil && results.count == 3)
      let isNotified = notifies(of: { _ = results.count }) {
        context.delete(players[0])
        context.processPendingChanges()
      }
      #expect(isNotified && results.count == 2)
    }
  }

  @Test("are empty, with an error, if the request returns results of another type")
  func wrongResultType() throws {
    try run { context, players in
      let request = request()
      request.resultType = .managedObjectIDResultType
      let objects = FetchedResults(request, context: context)
      #expect(objects.isEmpty && objects.fetchError != nil)
      let sections = SectionedFetchedResults(
        request, sectionIdentifier: \ListedPlayer.age, context: context)
      #expect(sections.isEmpty && sections.fetchError != nil)
      let requestOfIDs = NSFetchRequest<NSManagedObjectID>(entityName: "Player")
      requestOfIDs.sortDescriptors = request.sortDescriptors
      let noIDs = FetchedResults(requestOfIDs, context: context)
      #expect(noIDs.isEmpty && noIDs.fetchError != nil)
      requestOfIDs.resultType = .managedObjectIDResultType
      let ids = FetchedResults(requestOfIDs, context: context)
      #expect(ids.fetchError == nil && Array(ids) == players.map(\.objectID))
    }
  }

  @Test("have sections with their values and elements")
  func sections() throws {
    try run { context, players in
      let results = SectionedFetchedResults(
        request(), sectionIdentifier: \ListedPlayer.age, context: context)
      #expect(results.map(\.id) == [1, 2])
      #expect(results.map(\.elements) == [[players[0]], [players[1], players[2]]])
      #expect(results[1].count == 2 && results[1][1] === players[2])
      let isNotified = notifies(of: { _ = results.map(\.id) }) {
        players[0].setValue(7, forKey: "age")
        context.processPendingChanges()
      }
      #expect(isNotified && results.map(\.id) == [2, 7])
      results.nsSortDescriptors = [NSSortDescriptor(key: "number", ascending: true)]
      results.sectionIdentifier = \.number
      #expect(results.map(\.id) == [0] && results[0].count == 3)
      // Sections that the order does not group are an error, which leaves the rows unchanged.
      results.nsSortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
      for (player, age) in zip(players, [2, 7, 2]) { player.setValue(age, forKey: "age") }
      results.sectionIdentifier = \.age
      #expect(results.fetchError != nil)
      #expect(results.count == 1 && results[0].count == 3)
      results.nsSortDescriptors = [NSSortDescriptor(key: "age", ascending: true)]
      #expect(results.fetchError == nil && results.map(\.id) == [2, 7])
      results.nsPredicate = NSPredicate(value: false)
      #expect(results.isEmpty)
      let nameless = SectionedFetchedResults(
        request(), sectionIdentifier: \ListedPlayer.isGrown, context: context)
      #expect(nameless.isEmpty)
      #expect(nameless.fetchError?.localizedDescription.contains("ListedPlayer") == true)
    }
  }

  @Test("can be properties of types without a user interface")
  func wrappers() throws {
    try run { context, players in
      let list = PlayerList(context)
      #expect(list.grown.map(\.name) == ["Bob", "Cem"])
      #expect(list.all.map(\.name) == ["Cem", "Bob", "Ann"])
      #expect(list.byRequest.count == 3 && list.byEntity.count == 3)
      #expect(list.sections.map(\.id) == [1, 2])
      list.$grown.nsPredicate = nil
      list.$sections.nsPredicate = NSPredicate(format: "age == 2")
      list.$all.sortDescriptors = [SortDescriptor(\.name)]
      #expect(list.grown.count == 3 && list.sections.map(\.id) == [2])
      #expect(list.all.first?.name == "Ann")
      #expect(
        notifies(of: { _ = list.all.count }) {
          context.insert("Player", ["name": "Aaron"])
          context.processPendingChanges()
        })
      #expect(list.all.first?.name == "Aaron")
    }
  }

  @Test("have sections by a request, by an entity and by sort descriptors")
  func sectionedWrappers() throws {
    try run { context, players in
      let lists = SectionedLists(context)
      let (young, old) = ([players[0]], [players[1], players[2]])
      #expect(lists.byRequest.map(\.id) == [1, 2])
      #expect(lists.byRequest.map(\.elements) == [young, old])
      #expect(lists.byEntity.map(\.id) == [2] && lists.byEntity.map(\.elements) == [old])
      #expect(lists.byOrder.map(\.id) == [1] && lists.byOrder.map(\.elements) == [young])
      // The projected value is the same object.
      lists.$byRequest.nsPredicate = NSPredicate(format: "age < 2")
      lists.$byEntity.nsPredicate = nil
      lists.$byOrder.nsPredicate = nil
      #expect(lists.byRequest.map(\.elements) == [young])
      #expect(lists.byEntity.map(\.elements) == [young, old])
      #expect(lists.byOrder.map(\.elements) == [young, old])
      let isNotified = notifies(of: { _ = lists.byOrder.map(\.id) }) {
        players[0].setValue(3, forKey: "age")
        context.processPendingChanges()
      }
      #expect(isNotified && lists.byOrder.map(\.id) == [2, 3])
      for results in [lists.byRequest, lists.byEntity, lists.byOrder] {
        #expect(results.fetchError == nil && results.sortDescriptors.isEmpty)
        #expect(results.nsSortDescriptors.count == 2)
      }
    }
  }

  @Test("have sections in the order of Swift's sort descriptors after these are set")
  func sectionOrder() throws {
    try run { context, players in
      let results = SectionedFetchedResults(
        request(), sectionIdentifier: \ListedPlayer.age, context: context)
      #expect(results.map(\.id) == [1, 2])
      let isNotified = notifies(of: { _ = results.map(\.id) }) {
        results.sortDescriptors = [
          SortDescriptor(\ListedPlayer.age, order: .reverse),
          SortDescriptor(\ListedPlayer.name, order: .reverse),
        ]
      }
      #expect(isNotified && results.map(\.id) == [2, 1])
      #expect(results.map(\.elements) == [[players[2], players[1]], [players[0]]])
      #expect(results.sortDescriptors.count == 2 && results.nsSortDescriptors.count == 2)
      // An order that does not group the rows leaves them unchanged.
      players[2].setValue(1, forKey: "age")
      context.processPendingChanges()
      results.sortDescriptors = [SortDescriptor(\ListedPlayer.name)]
      #expect(results.fetchError != nil && results.map(\.id) == [2, 1])
      results.sortDescriptors = [SortDescriptor(\ListedPlayer.age)]
      #expect(results.fetchError == nil && results.map(\.id) == [1, 2])
      results.nsSortDescriptors = [NSSortDescriptor(key: "age", ascending: false)]
      #expect(results.sortDescriptors.isEmpty && results.map(\.id) == [2, 1])
    }
  }

  @Test("use the task's current context, or the context in whose perform block they are read")
  func contexts() throws {
    try run { context, _ in
      let made = NSManagedObjectContext.$current.withValue(context) { CurrentList() }
      let read = CurrentList()
      #expect(made.players.count == 3 && read.players.count == 3)
    }
    let nowhere = CurrentList()
    #expect(nowhere.players.isEmpty)
    #expect(nowhere.players.fetchError?.localizedDescription.contains("context") == true)
  }

  @Test("are released, and no longer update")
  func release() throws {
    try run { context, players in
      weak var gone: AnyObject?
      do {
        let results = FetchedResults(request(), context: context)
        #expect(results.count == 3)
        gone = results.model
        #expect(gone != nil)
      }
      #expect(gone == nil)
      players[0].setValue(9, forKey: "age")
      context.processPendingChanges()
    }
  }
}

final class ListedPlayer: NSManagedObject {
  private static let nameKey = ManagedKey("name")
  private static let ageKey = ManagedKey("age")
  private static let numberKey = ManagedKey("number")

  var name: String? { managedValue(Self.nameKey) }
  var age: Int16 { managedValue(Self.ageKey) }
  var number: Int16 { managedValue(Self.numberKey) }
  var isGrown: Bool { age > 1 }
}

private struct PlayerList {
  @FetchRequest var grown: FetchedResults<ListedPlayer>
  @FetchRequest var all: FetchedResults<ListedPlayer>
  @FetchRequest var byRequest: FetchedResults<ListedPlayer>
  @FetchRequest var byEntity: FetchedResults<ListedPlayer>
  // `SectionedFetchResults` is SwiftUI's name of the type.
  @SectionedFetchRequest var sections: SectionedFetchResults<Int16, ListedPlayer>

  init(_ context: NSManagedObjectContext) {
    let ages = [NSSortDescriptor(key: "age", ascending: true)]
    _grown = FetchRequest(
      sortDescriptors: [NSSortDescriptor(key: "name", ascending: true)],
      predicate: NSPredicate(format: "age > 1"), context: context)
    _all = FetchRequest(
      sortDescriptors: [SortDescriptor(\.name, order: .reverse)], context: context)
    let request = NSFetchRequest<ListedPlayer>(entityName: "Player")
    request.sortDescriptors = ages
    _byRequest = FetchRequest(fetchRequest: request, context: context)
    _byEntity = FetchRequest(
      entity: NSEntityDescription.entity(forEntityName: "Player", in: context)
        ?? NSEntityDescription(), sortDescriptors: ages, context: context)
    _sections = SectionedFetchRequest(
      sectionIdentifier: \.age, sortDescriptors: [SortDescriptor(\.age)], context: context)
  }
}

/// Uses each form of the wrapper, except the one with Swift's sort descriptors.
private struct SectionedLists {
  @SectionedFetchRequest var byRequest: SectionedFetchedResults<Int16, ListedPlayer>
  @SectionedFetchRequest var byEntity: SectionedFetchedResults<Int16, ListedPlayer>
  @SectionedFetchRequest var byOrder: SectionedFetchedResults<Int16, ListedPlayer>

  init(_ context: NSManagedObjectContext) {
    let order = ["age", "name"].map { NSSortDescriptor(key: $0, ascending: true) }
    let request = NSFetchRequest<ListedPlayer>(entityName: "Player")
    request.sortDescriptors = order
    _byRequest = SectionedFetchRequest(
      fetchRequest: request, sectionIdentifier: \.age, context: context)
    // The wrapper has copied the request.
    request.sortDescriptors = []
    _byEntity = SectionedFetchRequest(
      entity: NSEntityDescription.entity(forEntityName: "Player", in: context)
        ?? NSEntityDescription(), sectionIdentifier: \.age, sortDescriptors: order,
      predicate: NSPredicate(format: "age > 1"), context: context)
    _byOrder = SectionedFetchRequest(
      sectionIdentifier: \.age, sortDescriptors: order,
      predicate: NSPredicate(format: "age < 2"), context: context)
  }
}

private struct CurrentList {
  @FetchRequest(sortDescriptors: []) var players: FetchedResults<ListedPlayer>

  init() {}

  init(_ context: NSManagedObjectContext) {
    _players = FetchRequest(sortDescriptors: [], context: context)
  }
}
