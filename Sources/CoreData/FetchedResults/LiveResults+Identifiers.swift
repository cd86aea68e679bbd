import OrderedCollections

// The rows by their IDs; no object is made.

extension LiveResults {
  /// The ID of the row of a rank.
  func objectID(atRank rank: Int) -> NSManagedObjectID? {
    tree.entry(at: rank).map(objectID)
  }

  /// The ID of the row at a place.
  func objectID(at path: ResultPath) -> NSManagedObjectID? { entry(at: path).map(objectID) }

  /// The ID that the object of a row has now.
  private func objectID(_ entry: ResultEntry) -> NSManagedObjectID {
    context.foreign.permanentIDs.currentID(of: entry.id)
  }

  /// The row at a place.
  func entry(at path: ResultPath) -> ResultEntry? {
    tree.entry(at: ranks(ofSection: path.section).lowerBound + path.row)
  }

  /// The IDs of some rows, in order.
  func objectIDs(ofRanks ranks: Range<Int>) -> [NSManagedObjectID] {
    tree.entries(in: ranks).map(objectID)
  }

  /// Whether sections may have names that a snapshot takes for one: rows of a section came apart, or names
  /// differ in how Unicode writes their letters. Places in the snapshot are then others.
  var mayMergeInSnapshots: Bool { isUngrouped || names.haveEquals }

  /// The sections by their names and the rows by their IDs, as they are now. Sections of equal names are one.
  ///
  /// O(n).
  ///
  /// - Parameters:
  ///   - section: what stands for a name.
  ///   - item: what stands for an ID.
  ///   - keepsTemporaryIDs: whether rows without a permanent ID are not left out.
  ///   - changed: the rows that are marked as reloaded.
  func snapshot<Section: Hashable, Item: Hashable>(
    _ section: (String) -> Section, _ item: (NSManagedObjectID) -> Item,
    keepingTemporaryIDs keepsTemporaryIDs: Bool = false, reloading changed: [NSManagedObjectID] = []
  ) -> NSDiffableDataSourceSnapshot<Section, Item> {
    var snapshot = NSDiffableDataSourceSnapshot<Section, Item>()
    for index in 0..<sectionCount {
      let ids = objectIDs(ofRanks: ranks(ofSection: index))
        .filter { keepsTemporaryIDs || !$0.isTemporaryID }
      snapshot.addRows(ids.map(item), toSection: section(sectionName(index)))
    }
    for id in changed where snapshot.sectionsOfItems[item(id)] != nil {
      snapshot.reloadedItems.append(item(id))
    }
    return snapshot
  }
}

extension NSDiffableDataSourceSnapshot {
  /// Adds items that are known to be new, in a section that may be.
  mutating func addRows(_ items: [ItemIdentifierType], toSection section: SectionIdentifierType) {
    for item in items { sectionsOfItems[item] = section }
    contents[section, default: []].append(contentsOf: items)
  }
}

extension LiveResults {
  /// What readers of snapshots begin with; the places of reports count all rows.
  var firstSnapshot: FetchedResultsSnapshots.Element {
    snapshot({ $0 }, { $0 }, keepingTemporaryIDs: true)
  }
}
