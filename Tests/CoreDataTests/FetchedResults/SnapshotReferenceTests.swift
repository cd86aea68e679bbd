import CoreData
import Testing

/// Snapshots with identifiers of any type: conversions, and the errors that `SnapshotTests` checks for typed snapshots.
@Suite("Snapshot references")
struct SnapshotReferenceTests {
  typealias Reference = NSDiffableDataSourceSnapshotReference

  /// Returns a snapshot with one section "a" and the items 1 and 2.
  private static func two() -> Reference {
    let reference = Reference()
    reference.appendSections(withIdentifiers: ["a"])
    reference.appendItems(withIdentifiers: [1, 2])
    return reference
  }

  @Test("convert from and to typed snapshots, with the marks for reloading and reconfiguring")
  func knownTypes() {
    var snapshot = NSDiffableDataSourceSnapshot<String, Int>()
    snapshot.appendSections(["a", "b"])
    snapshot.appendItems([1, 2], toSection: "a")
    snapshot.reloadSections(["b"])
    snapshot.reloadItems([2])
    snapshot.reconfigureItems([1])
    let reference = Reference(snapshot)
    #expect(reference.sectionIdentifiers as? [String] == ["a", "b"])
    #expect(reference.itemIdentifiersInSection(withIdentifier: "a") as? [Int] == [1, 2])
    #expect(NSDiffableDataSourceSnapshot<String, Int>(reference) == snapshot)
    reference.deleteItems(withIdentifiers: [1])
    #expect(snapshot.itemIdentifiers == [1, 2])
    #expect(snapshot.reconfiguredItemIdentifiers == [1])
  }

  @Test("stop the program for errors that UIKit raises")
  func errors() async {
    await #expect(processExitsWith: .failure) { Reference().appendItems(withIdentifiers: [1]) }
    await #expect(processExitsWith: .failure) {
      Self.two().appendItems(withIdentifiers: [3, 3])
    }
    await #expect(processExitsWith: .failure) {
      Self.two().insertItems(withIdentifiers: [3], beforeItemWithIdentifier: 4)
    }
    await #expect(processExitsWith: .failure) {
      Self.two().reloadItems(withIdentifiers: [3])
    }
    await #expect(processExitsWith: .failure) {
      Self.two().moveSection(withIdentifier: "a", beforeSectionWithIdentifier: "b")
    }
    await #expect(processExitsWith: .failure) {
      _ = Self.two().itemIdentifiersInSection(withIdentifier: "b")
    }
    await #expect(processExitsWith: .failure) { _ = Self.two().numberOfItems(inSection: "b") }
  }

  @Test("stop the program for a destination that is itself inserted or moved, or is missing")
  func wrongPlaces() async {
    await #expect(processExitsWith: .failure) {
      Self.two().insertItems(withIdentifiers: [1, 3], afterItemWithIdentifier: 1)
    }
    await #expect(processExitsWith: .failure) {
      Self.two().moveItem(withIdentifier: 1, beforeItemWithIdentifier: 1)
    }
    await #expect(processExitsWith: .failure) {
      Self.two().moveItem(withIdentifier: 1, afterItemWithIdentifier: 3)
    }
    await #expect(processExitsWith: .failure) {
      Self.two().moveItem(withIdentifier: 3, afterItemWithIdentifier: 1)
    }
    await #expect(processExitsWith: .failure) {
      Self.two().appendItems(withIdentifiers: [3], intoSectionWithIdentifier: "b")
    }
    await #expect(processExitsWith: .failure) {
      Self.two().insertSections(withIdentifiers: ["a"], beforeSectionWithIdentifier: "a")
    }
    await #expect(processExitsWith: .failure) {
      Self.two().insertSections(withIdentifiers: ["b"], afterSectionWithIdentifier: "c")
    }
    await #expect(processExitsWith: .failure) {
      Self.two().moveSection(withIdentifier: "a", afterSectionWithIdentifier: "a")
    }
  }

  @Test("stop the program for a missing identifier to reload or reconfigure")
  func wrongMarks() async {
    await #expect(processExitsWith: .failure) {
      Self.two().reloadSections(withIdentifiers: ["b"])
    }
    await #expect(processExitsWith: .failure) {
      Self.two().reconfigureItems(withIdentifiers: [3])
    }
  }

  @Test("ignore deletions of missing identifiers")
  func absent() {
    let reference = Self.two()
    reference.deleteItems(withIdentifiers: [3])
    reference.deleteSections(withIdentifiers: ["b"])
    #expect(reference == Self.two())
  }
}
