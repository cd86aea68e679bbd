import CoreData
import CoreDataTestSupport
import FixtureSupport
import Testing

/// Sources: the members and their discussions in Apple's UIKit documentation; public reports of UIKit's messages
/// ("the supplied item identifiers are not unique"; existing identifiers are moved).
@Suite("Snapshots of sections and items")
struct SnapshotTests {
  typealias Snapshot = NSDiffableDataSourceSnapshot<String, Int>

  private func make(_ sections: KeyValuePairs<String, [Int]>) -> Snapshot {
    var snapshot = Snapshot()
    for (section, items) in sections {
      snapshot.appendSections([section])
      snapshot.appendItems(items)
    }
    return snapshot
  }

  @Test("return their sections, items and indexes")
  func reading() {
    let snapshot = make(["a": [1, 2], "b": [], "c": [3]])
    #expect(snapshot.numberOfSections == 3)
    #expect(snapshot.numberOfItems == 3)
    #expect(snapshot.sectionIdentifiers == ["a", "b", "c"])
    #expect(snapshot.itemIdentifiers == [1, 2, 3])
    #expect(snapshot.itemIdentifiers(inSection: "a") == [1, 2])
    #expect(snapshot.numberOfItems(inSection: "b") == 0)
    #expect(snapshot.sectionIdentifier(containingItem: 3) == "c")
    #expect(snapshot.sectionIdentifier(containingItem: 4) == nil)
    #expect(snapshot.indexOfItem(3) == 2)
    #expect(snapshot.indexOfItem(4) == nil)
    #expect(snapshot.indexOfSection("c") == 2)
    #expect(snapshot.indexOfSection("d") == nil)
  }

  @Test("append and insert items, and move existing ones")
  func items() {
    var snapshot = make(["a": [1, 2, 3], "b": [4]])
    snapshot.insertItems([5, 6], beforeItem: 2)
    snapshot.insertItems([7], afterItem: 4)
    #expect(snapshot == make(["a": [1, 5, 6, 2, 3], "b": [4, 7]]))
    snapshot.appendItems([1, 8], toSection: "b")
    #expect(snapshot == make(["a": [5, 6, 2, 3], "b": [4, 7, 1, 8]]))
    snapshot.moveItem(5, afterItem: 3)
    snapshot.moveItem(8, beforeItem: 6)
    #expect(snapshot == make(["a": [8, 6, 2, 3, 5], "b": [4, 7, 1]]))
    snapshot.deleteItems([8, 4, 99])
    #expect(snapshot == make(["a": [6, 2, 3, 5], "b": [7, 1]]))
    snapshot.deleteAllItems()
    #expect(snapshot == Snapshot())
  }

  @Test("append and insert sections, and move existing ones")
  func sections() {
    var snapshot = make(["a": [1], "b": [2]])
    snapshot.insertSections(["c", "d"], beforeSection: "b")
    snapshot.insertSections(["e"], afterSection: "b")
    #expect(snapshot == make(["a": [1], "c": [], "d": [], "b": [2], "e": []]))
    snapshot.moveSection("a", afterSection: "b")
    snapshot.moveSection("e", beforeSection: "c")
    #expect(snapshot == make(["e": [], "c": [], "d": [], "b": [2], "a": [1]]))
    snapshot.appendSections(["b", "f"])
    #expect(snapshot == make(["e": [], "c": [], "d": [], "a": [1], "b": [2], "f": []]))
    snapshot.deleteSections(["a", "c", "x"])
    #expect(snapshot == make(["e": [], "d": [], "b": [2], "f": []]))
    #expect(snapshot.indexOfItem(1) == nil)
  }

  @Test("keep marks for reloading and reconfiguring until the identifier is deleted")
  func marks() {
    var snapshot = make(["a": [1, 2], "b": [3]])
    snapshot.reloadItems([2, 1])
    snapshot.reconfigureItems([3])
    snapshot.reloadSections(["b"])
    #expect(snapshot.reloadedItemIdentifiers == [2, 1])
    #expect(snapshot.reconfiguredItemIdentifiers == [3])
    #expect(snapshot.reloadedSectionIdentifiers == ["b"])
    snapshot.moveItem(2, afterItem: 3)
    #expect(snapshot.reloadedItemIdentifiers == [2, 1])
    snapshot.deleteSections(["b"])
    #expect(snapshot.reloadedItemIdentifiers == [1])
    #expect(snapshot.reconfiguredItemIdentifiers.isEmpty)
    #expect(snapshot.reloadedSectionIdentifiers.isEmpty)
  }

  @Test("stop the program for errors that UIKit raises")
  func errors() async {
    await #expect(processExitsWith: .failure) {
      var snapshot = Snapshot()
      snapshot.appendItems([1])
    }
    await #expect(processExitsWith: .failure) {
      var snapshot = Snapshot()
      snapshot.appendSections(["a"])
      snapshot.appendItems([1, 1])
    }
    await #expect(processExitsWith: .failure) {
      var snapshot = Snapshot()
      snapshot.appendSections(["a", "a"])
    }
    await #expect(processExitsWith: .failure) {
      var snapshot = Snapshot()
      snapshot.appendSections(["a"])
      snapshot.insertItems([1], beforeItem: 2)
    }
    await #expect(processExitsWith: .failure) {
      var snapshot = Snapshot()
      snapshot.appendSections(["a"])
      snapshot.reloadItems([1])
    }
    await #expect(processExitsWith: .failure) {
      var snapshot = Snapshot()
      snapshot.moveSection("a", beforeSection: "b")
    }
    await #expect(processExitsWith: .failure) { _ = Snapshot().itemIdentifiers(inSection: "a") }
    await #expect(processExitsWith: .failure) { _ = Snapshot().numberOfItems(inSection: "a") }
  }

  /// Returns a snapshot with one section "a" and the items 1 and 2.
  private static func two() -> Snapshot {
    var snapshot = Snapshot()
    snapshot.appendSections(["a"])
    snapshot.appendItems([1, 2])
    return snapshot
  }

  @Test("stop the program for a destination that is among the inserted identifiers, or missing")
  func wrongPlaces() async {
    await #expect(processExitsWith: .failure) {
      var snapshot = Self.two()
      snapshot.insertItems([1, 3], afterItem: 1)
    }
    await #expect(processExitsWith: .failure) {
      var snapshot = Self.two()
      snapshot.moveItem(1, beforeItem: 1)
    }
    await #expect(processExitsWith: .failure) {
      var snapshot = Self.two()
      snapshot.moveItem(1, afterItem: 3)
    }
    await #expect(processExitsWith: .failure) {
      var snapshot = Self.two()
      snapshot.moveItem(3, afterItem: 1)
    }
    await #expect(processExitsWith: .failure) {
      var snapshot = Self.two()
      snapshot.appendItems([3], toSection: "b")
    }
    await #expect(processExitsWith: .failure) {
      var snapshot = Self.two()
      snapshot.insertSections(["a"], beforeSection: "a")
    }
    await #expect(processExitsWith: .failure) {
      var snapshot = Self.two()
      snapshot.insertSections(["b"], afterSection: "c")
    }
    await #expect(processExitsWith: .failure) {
      var snapshot = Self.two()
      snapshot.moveSection("a", afterSection: "a")
    }
  }

  @Test(
    "stop the program for missing identifiers to reload or reconfigure, and for invalid identifiers of references"
  )
  func wrongMarks() async {
    await #expect(processExitsWith: .failure) {
      var snapshot = Self.two()
      snapshot.reloadSections(["b"])
    }
    await #expect(processExitsWith: .failure) {
      var snapshot = Self.two()
      snapshot.reconfigureItems([3])
    }
    await #expect(processExitsWith: .failure) {
      struct Unhashable {}
      NSDiffableDataSourceSnapshotReference().appendSections(withIdentifiers: [Unhashable()])
    }
    await #expect(processExitsWith: .failure) {
      let reference = NSDiffableDataSourceSnapshotReference()
      reference.appendSections(withIdentifiers: ["a", "a"])
    }
    await #expect(processExitsWith: .failure) {
      let reference = NSDiffableDataSourceSnapshotReference()
      reference.appendSections(withIdentifiers: [1])
      _ = Snapshot(reference)
    }
  }

  @Test("agree with snapshot references for random operations")
  func randomReference() {
    var random = SeededGenerator("snapshots of any identifiers")
    func some<Identifier>(_ all: [Identifier], _ count: ClosedRange<Int>) -> [Identifier] {
      Array(all.shuffled(using: &random).prefix(Int.random(in: count, using: &random)))
    }
    var used: Set<Int> = []
    for round in 0..<200 {
      var snapshot = Snapshot()
      let reference = NSDiffableDataSourceSnapshotReference()
      for step in 0..<30 {
        let sections = snapshot.sectionIdentifiers
        let (section, item) = (
          sections.randomElement(using: &random),
          snapshot.itemIdentifiers.randomElement(using: &random)
        )
        let newSections = some("abcdef".map(String.init).filter { $0 != section }, 0...3)
        let newItems = some((0..<12).filter { $0 != item }, 0...4)
        let operation = Int.random(in: 0..<18, using: &random)
        switch (operation, section, item) {
        case (0, _, _):
          snapshot.appendSections(newSections)
          reference.appendSections(withIdentifiers: newSections)
        case (1, let section?, _):
          snapshot.insertSections(newSections, beforeSection: section)
          reference.insertSections(
            withIdentifiers: newSections, beforeSectionWithIdentifier: section)
        case (2, let section?, _):
          snapshot.insertSections(newSections, afterSection: section)
          reference.insertSections(
            withIdentifiers: newSections, afterSectionWithIdentifier: section)
        case (3, .some, _):
          snapshot.deleteSections(newSections)
          reference.deleteSections(withIdentifiers: newSections)
        case (4, let section?, _):
          guard let other = sections.filter({ $0 != section }).randomElement(using: &random) else {
            continue
          }
          snapshot.moveSection(other, beforeSection: section)
          reference.moveSection(withIdentifier: other, beforeSectionWithIdentifier: section)
        case (5, let section?, _):
          guard let other = sections.filter({ $0 != section }).randomElement(using: &random) else {
            continue
          }
          snapshot.moveSection(other, afterSection: section)
          reference.moveSection(withIdentifier: other, afterSectionWithIdentifier: section)
        case (6, let section?, _):
          snapshot.reloadSections([section])
          reference.reloadSections(withIdentifiers: [section])
        case (7, .some, _):
          snapshot.appendItems(newItems)
          reference.appendItems(withIdentifiers: newItems)
        case (8, let section?, _):
          snapshot.appendItems(newItems, toSection: section)
          reference.appendItems(withIdentifiers: newItems, intoSectionWithIdentifier: section)
        case (9, _, let item?):
          snapshot.insertItems(newItems, beforeItem: item)
          reference.insertItems(withIdentifiers: newItems, beforeItemWithIdentifier: item)
        case (10, _, let item?):
          snapshot.insertItems(newItems, afterItem: item)
          reference.insertItems(withIdentifiers: newItems, afterItemWithIdentifier: item)
        case (11, _, .some):
          snapshot.deleteItems(newItems)
          reference.deleteItems(withIdentifiers: newItems)
        case (12, _, let item?), (13, _, let item?):
          guard
            let other = snapshot.itemIdentifiers.filter({ $0 != item }).randomElement(
              using: &random)
          else { continue }
          if operation == 12 {
            snapshot.moveItem(other, beforeItem: item)
            reference.moveItem(withIdentifier: other, beforeItemWithIdentifier: item)
          } else {
            snapshot.moveItem(other, afterItem: item)
            reference.moveItem(withIdentifier: other, afterItemWithIdentifier: item)
          }
        case (14, _, let item?):
          snapshot.reloadItems([item])
          reference.reloadItems(withIdentifiers: [item])
        case (15, _, let item?):
          snapshot.reconfigureItems([item])
          reference.reconfigureItems(withIdentifiers: [item])
        case (16, _, let item?):
          #expect(reference.index(ofItemIdentifier: item) == snapshot.indexOfItem(item))
          #expect(
            reference.sectionIdentifier(forSectionContainingItemIdentifier: item) as? String
              == snapshot.sectionIdentifier(containingItem: item))
        case (17, _, .some) where step > 25:
          snapshot.deleteAllItems()
          reference.deleteAllItems()
        default: continue
        }
        used.insert(operation)
        let message: Comment = "seed \(random.seed), round \(round), operation \(operation)"
        #expect(Snapshot(reference) == snapshot, message)
        #expect(reference.numberOfItems == snapshot.numberOfItems, message)
        #expect(reference.numberOfSections == snapshot.numberOfSections, message)
        #expect(reference.sectionIdentifiers as? [String] == snapshot.sectionIdentifiers, message)
        #expect(reference.itemIdentifiers as? [Int] == snapshot.itemIdentifiers, message)
        #expect(
          reference.reloadedSectionIdentifiers as? [String] == snapshot.reloadedSectionIdentifiers,
          message)
        #expect(
          reference.reloadedItemIdentifiers as? [Int] == snapshot.reloadedItemIdentifiers, message)
        #expect(
          reference.reconfiguredItemIdentifiers as? [Int] == snapshot.reconfiguredItemIdentifiers,
          message)
        for (place, section) in snapshot.sectionIdentifiers.enumerated() {
          #expect(reference.index(ofSectionIdentifier: section) == place, message)
          #expect(
            reference.itemIdentifiersInSection(withIdentifier: section) as? [Int]
              == snapshot.itemIdentifiers(inSection: section), message)
          #expect(
            reference.numberOfItems(inSection: section)
              == snapshot.numberOfItems(inSection: section), message)
        }
      }
    }
    #expect(used == Set(0..<18))
  }

  @Test("are created from snapshot references, whose copies are independent")
  func reference() {
    let reference = NSDiffableDataSourceSnapshotReference()
    reference.appendSections(withIdentifiers: ["a", "c"])
    reference.insertSections(withIdentifiers: ["b"], beforeSectionWithIdentifier: "c")
    reference.appendItems(withIdentifiers: [3])
    reference.appendItems(withIdentifiers: [1, 2], intoSectionWithIdentifier: "a")
    reference.reloadItems(withIdentifiers: [2])
    let copy = reference.copy() as? NSDiffableDataSourceSnapshotReference
    #expect(copy == reference)
    reference.moveItem(withIdentifier: 1, afterItemWithIdentifier: 3)
    #expect(copy != reference)
    var expected = make(["a": [2], "b": [], "c": [3, 1]])
    expected.reloadItems([2])
    #expect(Snapshot(reference) == expected)
    #expect(reference.itemIdentifiers as? [Int] == [2, 3, 1])
    #expect(reference.itemIdentifiersInSection(withIdentifier: "c") as? [Int] == [3, 1])
    #expect(reference.index(ofItemIdentifier: 1) == 2)
    #expect(reference.index(ofItemIdentifier: 9) == NSNotFound)
    #expect(reference.index(ofSectionIdentifier: "b") == 1)
    #expect(reference.sectionIdentifier(forSectionContainingItemIdentifier: 1) as? String == "c")
  }

  @Test("have the smallest difference that turns one into the other")
  func differences() {
    let old = make(["a": [1, 2, 3, 4], "b": [5], "c": [6]])
    var new = make(["c": [6], "a": [4, 1, 2, 7], "d": [5]])
    new.reloadItems([2, 7])
    let updates = new.difference(from: old)
    #expect(updates.deletedSections == [1])
    #expect(updates.insertedSections == [2])
    // Either of the two swapped sections may be the moved one.
    #expect(updates.movedSections.count == 1)
    #expect(updates.deletedRows == [IndexPath(row: 2, section: 0)])
    #expect(updates.insertedRows == [IndexPath(row: 3, section: 1)])
    #expect(
      updates.movedRows.map { [$0.old, $0.new] } == [
        [IndexPath(row: 3, section: 0), IndexPath(row: 0, section: 1)],
        [IndexPath(row: 0, section: 1), IndexPath(row: 0, section: 2)],
      ])
    #expect(
      updates.reloadedRows.map { [$0.old, $0.new] } == [
        [IndexPath(row: 1, section: 0), IndexPath(row: 2, section: 1)]
      ])
    #expect(new.difference(from: new).reloadedRows.map(\.new.row) == [2, 3])
    #expect(old.difference(from: old).isEmpty)
    #expect(old.difference(from: Snapshot()).insertedSections == [0, 1, 2])
  }

  typealias Table = CoreDataTestSupport.RecordingTable<Int>

  private func sections(_ snapshot: Snapshot) -> [Table.Section] {
    snapshot.sectionIdentifiers.map {
      Table.Section(name: $0, rows: snapshot.itemIdentifiers(inSection: $0))
    }
  }

  private func randomSnapshot(_ random: inout SeededGenerator) -> Snapshot {
    var snapshot = Snapshot()
    snapshot.appendSections(
      Array(
        "abcdef".map(String.init).shuffled(using: &random)
          .prefix(Int.random(in: 1...6, using: &random))))
    let items = (0..<20).shuffled(using: &random).prefix(Int.random(in: 0...20, using: &random))
    for item in items {
      snapshot.appendItems(
        [item], toSection: snapshot.sectionIdentifiers.randomElement(using: &random))
    }
    return snapshot
  }

  /// Returns the errors of list views that show a snapshot and apply its difference to another one.
  private func failures(_ updates: TableUpdates, from old: Snapshot, to new: Snapshot) -> [String] {
    [TableRowMoves.deletionsAndInsertions, .movesThenReloads].flatMap { moves -> [String] in
      var present = old
      let table = Table(traps: false) { sections(present) }
      present = new
      table.apply(updates, with: .none, moves: moves)
      return table.violations
    }
  }

  @Test("have a difference that turns the old one into the new one, for random snapshots")
  func randomDifferences() {
    var random = SeededGenerator("snapshots")
    for round in 0..<2_000 {
      let old = randomSnapshot(&random)
      let new = randomSnapshot(&random)
      let updates = new.difference(from: old)
      let failures = failures(updates, from: old, to: new)
      let message: Comment =
        "seed \(random.seed), round \(round): \(failures) \(old) \(new) \(updates)"
      #expect(failures.isEmpty, message)
      if !failures.isEmpty { return }
      #expect(isLeast(updates, old, new), message)
    }
  }

  @Test("have differences that reload marked sections and items once")
  func marksInDifferences() {
    let old = make(["a": [1, 2, 3, 4], "b": [5], "c": [6]])
    var new = make(["c": [6], "a": [4, 1, 2, 3, 7, 5], "b": [], "d": [8]])
    // A row moved in its section, a row from another section, a new row, three unmoved rows.
    new.reloadItems([4, 2, 7])
    new.reconfigureItems([5, 1, 6, 4])
    // A moved section, an unmoved section, a new section.
    new.reloadSections(["c", "b", "d"])
    func path(_ section: Int, _ row: Int) -> IndexPath { IndexPath(row: row, section: section) }
    var expected = TableUpdates()
    expected.insertedSections = [3]
    expected.movedSections = [.init(old: 2, new: 0)]
    expected.reloadedSections = [.init(old: 2, new: 0), .init(old: 1, new: 2)]
    expected.insertedRows = [path(1, 4), path(3, 0)]
    expected.movedRows = [
      .init(old: path(0, 3), new: path(1, 0)), .init(old: path(1, 0), new: path(1, 5)),
    ]
    // A list view redraws moved rows, so they are not reloaded in addition.
    expected.reloadedRows = [
      .init(old: path(2, 0), new: path(0, 0)), .init(old: path(0, 0), new: path(1, 1)),
      .init(old: path(0, 1), new: path(1, 2)),
    ]
    #expect(new.difference(from: old) == expected)
    #expect(failures(expected, from: old, to: new).isEmpty)
    // Marks of the old snapshot are not part of the difference.
    let same = make(["c": [6], "a": [4, 1, 2, 3, 7, 5], "b": [], "d": [8]])
    #expect(same.difference(from: new).isEmpty)
  }

  @Test(
    "have the same difference with marks as without, plus the marked rows, for random snapshots")
  func randomMarks() {
    var random = SeededGenerator("marked snapshots")
    func some<Identifier>(_ all: [Identifier]) -> [Identifier] {
      all.filter { _ in Int.random(in: 0..<3, using: &random) == 0 }
    }
    for round in 0..<1_000 {
      let old = randomSnapshot(&random)
      var new = randomSnapshot(&random)
      var expected = new.difference(from: old)
      new.reloadItems(some(new.itemIdentifiers))
      new.reconfigureItems(some(new.itemIdentifiers))
      new.reloadSections(some(new.sectionIdentifiers))
      let marked = Set(new.reloadedItemIdentifiers + new.reconfiguredItemIdentifiers)
      let moved = Set(expected.movedRows.map(\.new))
      for (place, section) in new.sectionIdentifiers.enumerated() {
        guard let oldPlace = old.indexOfSection(section) else { continue }
        if new.reloadedSectionIdentifiers.contains(section) {
          expected.reloadedSections.append(.init(old: oldPlace, new: place))
        }
        let before = old.itemIdentifiers(inSection: section)
        for (row, item) in new.itemIdentifiers(inSection: section).enumerated() {
          let path = IndexPath(row: row, section: place)
          guard marked.contains(item), !moved.contains(path),
            let oldRow = before.firstIndex(of: item)
          else { continue }
          expected.reloadedRows.append(
            .init(old: IndexPath(row: oldRow, section: oldPlace), new: path))
        }
      }
      let updates = new.difference(from: old)
      let failures = failures(updates, from: old, to: new)
      let message: Comment =
        "seed \(random.seed), round \(round): \(failures) \(old) \(new) \(updates)"
      #expect(updates == expected, message)
      #expect(failures.isEmpty, message)
      if updates != expected || !failures.isEmpty { return }
    }
  }

  /// Returns whether the difference is as small as possible.
  private func isLeast(_ updates: TableUpdates, _ old: Snapshot, _ new: Snapshot) -> Bool {
    let (oldSections, newSections) = (Set(old.sectionIdentifiers), Set(new.sectionIdentifiers))
    let (oldItems, newItems) = (Set(old.itemIdentifiers), Set(new.itemIdentifiers))
    /// Returns how many identifiers have to move so that the rest keep their order.
    func moves<Identifier: Hashable>(_ old: [Identifier], _ new: [Identifier]) -> Int {
      var ends: [Int] = []
      let places = new.compactMap { old.firstIndex(of: $0) }
      // `ends` has the length of the longest increasing subsequence that ends at each place.
      for (index, place) in places.enumerated() {
        let before = zip(places, ends).prefix(index).filter { $0.0 < place }.map(\.1).max() ?? 0
        ends.append(before + 1)
      }
      return places.count - (ends.max() ?? 0)
    }
    var movedRows = 0
    for item in oldItems.intersection(newItems)
    where old.sectionIdentifier(containingItem: item) != new.sectionIdentifier(containingItem: item)
    {
      movedRows += 1
    }
    for section in oldSections.intersection(newSections) {
      movedRows += moves(
        old.itemIdentifiers(inSection: section), new.itemIdentifiers(inSection: section))
    }
    return updates.deletedSections.count == oldSections.subtracting(newSections).count
      && updates.insertedSections.count == newSections.subtracting(oldSections).count
      && updates.movedSections.count == moves(old.sectionIdentifiers, new.sectionIdentifiers)
      && updates.deletedRows.count == oldItems.subtracting(newItems).count
      && updates.insertedRows.count == newItems.subtracting(oldItems).count
      && updates.movedRows.count == movedRows && updates.reloadedRows.isEmpty
      && updates.reloadedSections.isEmpty
  }
}
