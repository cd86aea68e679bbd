/// Converts the positions of sections and rows that are not deleted, inserted or moved: from those before changes to
/// those after them, and back.
struct PlaceMap {
  private let deletedSections: SortedPlaces
  private let insertedSections: SortedPlaces
  /// The rows that leave each section, by old section.
  private let leaving: [Int: SortedPlaces]
  /// The rows that enter each section, by new section.
  private let arriving: [Int: SortedPlaces]

  init<Subject>(_ changes: SectionedChanges<Subject>) {
    deletedSections = SortedPlaces(changes.deletedSections.map(\.index))
    insertedSections = SortedPlaces(changes.insertedSections.map(\.index))
    leaving = Self.bySection(changes.deleted.map(\.path) + changes.moved.map(\.old))
    arriving = Self.bySection(changes.inserted.map(\.path) + changes.moved.map(\.new))
  }

  /// Creates a map for sections only.
  init<Subject>(sections changes: SectionedChanges<Subject>) {
    deletedSections = SortedPlaces(changes.deletedSections.map(\.index))
    insertedSections = SortedPlaces(changes.insertedSections.map(\.index))
    leaving = [:]
    arriving = [:]
  }

  private static func bySection(_ paths: [ResultPath]) -> [Int: SortedPlaces] {
    Dictionary(grouping: paths, by: \.section).mapValues { SortedPlaces($0.map(\.row)) }
  }

  /// Returns the new index of a section; nil if it is deleted.
  func section(after old: Int) -> Int? {
    if deletedSections.contains(old) { return nil }
    return insertedSections.place(ofRemaining: old - deletedSections.count(before: old))
  }

  /// Returns the old index of a section; nil if it is inserted.
  func section(before new: Int) -> Int? {
    if insertedSections.contains(new) { return nil }
    return deletedSections.place(ofRemaining: new - insertedSections.count(before: new))
  }

  /// Returns the new path of a row that is updated or unchanged; nil if its section is deleted.
  func path(after old: ResultPath) -> ResultPath? {
    guard let section = section(after: old.section) else { return nil }
    let rest = old.row - (leaving[old.section]?.count(before: old.row) ?? 0)
    return ResultPath(section: section, row: arriving[section]?.place(ofRemaining: rest) ?? rest)
  }

  /// Returns the old path of a row that is updated or unchanged; nil if its section is inserted.
  func path(before new: ResultPath) -> ResultPath? {
    guard let section = section(before: new.section) else { return nil }
    let rest = new.row - (arriving[new.section]?.count(before: new.row) ?? 0)
    return ResultPath(section: section, row: leaving[section]?.place(ofRemaining: rest) ?? rest)
  }
}

extension SortedPlaces {
  /// Returns whether a place is in the set.
  func contains(_ place: Int) -> Bool { count(before: place + 1) > count(before: place) }
}
