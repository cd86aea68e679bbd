/// Where sections and rows that changes do not name stand before and after them.
struct PlaceMap {
  private let deletedSections: SortedPlaces
  private let insertedSections: SortedPlaces
  /// By old section: the rows that are taken out of it.
  private let leaving: [Int: SortedPlaces]
  /// By new section: the rows that are put into it.
  private let arriving: [Int: SortedPlaces]

  init<Subject>(_ changes: SectionedChanges<Subject>) {
    deletedSections = SortedPlaces(changes.deletedSections.map(\.index))
    insertedSections = SortedPlaces(changes.insertedSections.map(\.index))
    leaving = Self.bySection(changes.deleted.map(\.path) + changes.moved.map(\.old))
    arriving = Self.bySection(changes.inserted.map(\.path) + changes.moved.map(\.new))
  }

  /// The sections alone.
  init<Subject>(sections changes: SectionedChanges<Subject>) {
    deletedSections = SortedPlaces(changes.deletedSections.map(\.index))
    insertedSections = SortedPlaces(changes.insertedSections.map(\.index))
    leaving = [:]
    arriving = [:]
  }

  private static func bySection(_ paths: [ResultPath]) -> [Int: SortedPlaces] {
    Dictionary(grouping: paths, by: \.section).mapValues { SortedPlaces($0.map(\.row)) }
  }

  /// The new place of a section; nil for one that is deleted.
  func section(after old: Int) -> Int? {
    if deletedSections.contains(old) { return nil }
    return insertedSections.place(ofRemaining: old - deletedSections.count(before: old))
  }

  /// The old place of a section; nil for one that is inserted.
  func section(before new: Int) -> Int? {
    if insertedSections.contains(new) { return nil }
    return deletedSections.place(ofRemaining: new - insertedSections.count(before: new))
  }

  /// The new place of a row that is not named, or is updated.
  func path(after old: ResultPath) -> ResultPath? {
    guard let section = section(after: old.section) else { return nil }
    let rest = old.row - (leaving[old.section]?.count(before: old.row) ?? 0)
    return ResultPath(section: section, row: arriving[section]?.place(ofRemaining: rest) ?? rest)
  }

  /// The old place of a row that is not named, or is updated.
  func path(before new: ResultPath) -> ResultPath? {
    guard let section = section(before: new.section) else { return nil }
    let rest = new.row - (arriving[new.section]?.count(before: new.row) ?? 0)
    return ResultPath(section: section, row: leaving[section]?.place(ofRemaining: rest) ?? rest)
  }
}

extension SortedPlaces {
  /// Whether a place is one of them.
  func contains(_ place: Int) -> Bool { count(before: place + 1) > count(before: place) }
}
