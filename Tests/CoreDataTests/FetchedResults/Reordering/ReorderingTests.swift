import CoreData
import CoreDataTestSupport
import FixtureSupport
import Testing

@Suite("Reordered rows", .onEveryStore)
struct ReorderingTests {
  private func controller(
    _ context: NSManagedObjectContext, sort: [String], section: String? = nil,
    predicate: String? = nil, limit: Int = 0, offset: Int = 0
  ) throws -> NSFetchedResultsController<NSManagedObject> {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
    request.predicate = predicate.map { NSPredicate(format: $0) }
    request.fetchLimit = limit
    request.fetchOffset = offset
    request.sortDescriptors = sort.map {
      $0.hasPrefix("-")
        ? NSSortDescriptor(key: String($0.dropFirst()), ascending: false)
        : NSSortDescriptor(key: $0, ascending: true)
    }
    let controller = NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: section,
      cacheName: nil)
    try controller.performFetch()
    return controller
  }

  /// Runs `body` with players that have these numbers, a controller of the players, and a table that shows them.
  private func run(
    _ numbers: [Int], sort: [String] = ["number"], limit: Int = 0, offset: Int = 0,
    _ body: (
      NSManagedObjectContext, NSFetchedResultsController<NSManagedObject>, RecordingTable
    ) throws -> Void
  ) throws {
    try SampleStack.withContext { context in
      for (place, number) in numbers.enumerated() {
        context.insert("Player", ["name": "p\(place)", "number": number])
      }
      try context.save()
      let controller = try controller(context, sort: sort, limit: limit, offset: offset)
      let table = RecordingTable(traps: false)
      controller.delegate = table
      table.load(controller)
      try body(context, controller, table)
      #expect(table.violations.isEmpty, "\(table.violations)")
    }
  }

  private func names(_ controller: NSFetchedResultsController<NSManagedObject>) -> [String] {
    (controller.fetchedObjects ?? []).map { $0.value(forKey: "name") as? String ?? "" }
  }

  private func numbers(_ controller: NSFetchedResultsController<NSManagedObject>) -> [Int] {
    (controller.fetchedObjects ?? []).map { $0.value(forKey: "number") as? Int ?? -1 }
  }

  private func path(_ row: Int, _ section: Int = 0) -> IndexPath {
    IndexPath(row: row, section: section)
  }

  @Test("get a number between those of their neighbors, and only one object changes")
  func gap() throws {
    try run([0, 10, 20, 30]) { context, controller, table in
      try controller.moveObject(from: path(0), to: path(2))
      #expect(names(controller) == ["p1", "p2", "p0", "p3"])
      #expect(numbers(controller) == [10, 20, 25, 30])
      #expect(context.updatedObjects.count == 1)
      #expect(table.calls == ["will", "0.0>0.2", "did"])
      try controller.moveObject(from: path(0), to: path(3))
      #expect(numbers(controller) == [20, 25, 30, 31])
      try controller.moveObject(from: path(3), to: path(0))
      #expect(numbers(controller) == [19, 20, 25, 30])
    }
  }

  @Test("renumber as few neighbors as possible if no number fits, in one report")
  func shift() throws {
    try run(Array(0..<10)) { context, controller, table in
      try controller.moveObject(from: path(8), to: path(3))
      #expect(names(controller) == ["p0", "p1", "p2", "p8", "p3", "p4", "p5", "p6", "p7", "p9"])
      #expect(context.updatedObjects.count == 4)
      #expect(table.calls.first == "will" && table.calls.last == "did")
      #expect(table.calls.count == 6)
      try context.save()
      // Swapping these two neighbors changes the number of only one of them, because the numbers after the last row are
      // free.
      try controller.moveObject(from: path(9), to: path(8))
      #expect(context.updatedObjects.count == 1)
    }
  }

  @Test("stay in order if all rows had the same number, or none")
  func equalNumbers() throws {
    try run([0, 0, 0, 0, 0]) { context, controller, _ in
      try controller.moveObject(from: path(0), to: path(3))
      #expect(names(controller) == ["p1", "p2", "p3", "p0", "p4"])
      #expect(context.updatedObjects.count == 2)
      for object in controller.fetchedObjects ?? [] { object.setValue(nil, forKey: "number") }
      try context.save()
      try controller.moveObject(from: path(4), to: path(1))
      // The rows that p4 moved past get numbers. p4 still has no number, so it sorts before those rows.
      #expect(names(controller) == ["p0", "p4", "p1", "p2", "p3"])
      #expect(context.updatedObjects.count == 3)
    }
  }

  @Test("can be in descending order")
  func descending() throws {
    try run([0, 10, 20, 30], sort: ["-number"]) { context, controller, _ in
      try controller.moveObject(from: path(0), to: path(2))
      #expect(names(controller) == ["p2", "p1", "p3", "p0"])
      #expect(numbers(controller) == [20, 10, 5, 0])
      try controller.moveObject(from: path(3), to: path(0))
      #expect(numbers(controller) == [21, 20, 10, 5])
      #expect(context.updatedObjects.count == 2)
    }
  }

  @Test("stay where they were moved, even next to rows that a limit or an offset hides")
  func windows() throws {
    func whole(_ context: NSManagedObjectContext) throws -> [String?] {
      try context.all("Player", sort: ["number"]).map { $0["name"] }
    }
    try run([3, 2, 1, 0], limit: 3) { context, controller, _ in
      try controller.moveObject(from: path(0), to: path(2))
      #expect(names(controller) == ["p2", "p1", "p3"])
      #expect(try whole(context) == ["p2", "p1", "p3", "p0"])
    }
    try run([3, 2, 1, 0], limit: 2, offset: 1) { context, controller, _ in
      // The offset hides p3 before these two rows, the limit hides p0 after them.
      try controller.moveObject(from: path(1), to: path(0))
      #expect(names(controller) == ["p1", "p2"])
      #expect(try whole(context) == ["p3", "p1", "p2", "p0"])
      #expect(context.updatedObjects.count == 2)
    }
    try SampleStack.withContext { context in
      for (place, age) in [1, 1, 1, 1, 2].enumerated() {
        context.insert("Player", ["name": "p\(place)", "age": age, "number": 4 - place])
      }
      try context.save()
      // The offset hides p3 in the first section.
      let controller = try controller(
        context, sort: ["age", "number"], section: "age", limit: 4, offset: 1)
      let table = RecordingTable(traps: false)
      controller.delegate = table
      table.load(controller)
      #expect(names(controller) == ["p2", "p1", "p0", "p4"])
      try controller.moveObject(from: path(2), to: path(0))
      #expect(names(controller) == ["p0", "p2", "p1", "p4"])
      #expect(table.violations.isEmpty, "\(table.violations)")
    }
  }

  @Test(
    "get a floating-point number between their neighbors' repeatedly, and only one object changes")
  func floating() throws {
    try SampleStack.withContext { context in
      for place in 1...3 {
        context.insert("Player", ["name": "p\(place)", "score": Double(place)])
      }
      try context.save()
      let controller = try controller(context, sort: ["score"])
      let table = RecordingTable(traps: false)
      controller.delegate = table
      for round in 0..<40 {
        let last = controller.object(at: path(2))
        try controller.moveObject(from: path(2), to: path(1))
        #expect(context.updatedObjects == [last], "round \(round)")
        try context.save()
        #expect(controller.object(at: path(1)) === last, "round \(round)")
      }
    }
  }

  @Test("get the attribute value or related object of the section that they move to")
  func sections() throws {
    try SampleStack.withContext { context in
      let red = context.insert("Team", ["name": "Red"])
      let blue = context.insert("Team", ["name": "Blue"])
      for (place, values) in [(1, blue), (1, blue), (2, red), (2, red)].enumerated() {
        context.insert(
          "Player", ["name": "p\(place)", "age": values.0, "team": values.1, "number": place * 10])
      }
      try context.save()
      for section in ["age", "team.name"] {
        let controller = try controller(context, sort: [section, "number"], section: section)
        let table = RecordingTable(traps: false)
        controller.delegate = table
        table.load(controller)
        try controller.moveObject(from: path(0, 0), to: path(1, 1))
        #expect(names(controller) == ["p1", "p2", "p0", "p3"])
        let moved = controller.object(at: path(1, 1))
        #expect(
          section == "age"
            ? moved.value(forKey: "age") as? Int == 2
            : moved.value(forKey: "team") as? NSManagedObject === red)
        #expect(moved.value(forKey: "number") as? Int == 25)
        #expect(table.calls.filter { $0.contains(">") } == ["0.0>1.1"])
        // Moving the last row of a section removes the section.
        try controller.moveObject(from: path(0, 0), to: path(3, 1))
        #expect(controller.sections?.map(\.numberOfObjects) == [4])
        #expect(table.violations.isEmpty, "\(table.violations)")
        context.rollback()
      }
    }
  }

  @Test("are reported to other delegates, but not to the view that moved them")
  func suppressed() throws {
    try run(Array(0..<10)) { context, controller, table in
      let other = try self.controller(context, sort: ["number"])
      let otherTable = RecordingTable(traps: false)
      other.delegate = otherTable
      otherTable.load(other)
      table.drag(from: path(8), to: path(3))
      try controller.moveObject(from: path(8), to: path(3), shownBy: table)
      #expect(table.calls.isEmpty)
      #expect(table.sections[0].rows == controller.fetchedObjects)
      #expect(otherTable.sections[0].rows == table.sections[0].rows)
      #expect(otherTable.calls.count == 6)
      // The rows are neighbors, so a report could as well say that the other one moved.
      table.drag(from: path(4), to: path(5))
      try controller.moveObject(from: path(4), to: path(5), shownBy: table)
      #expect(table.calls.isEmpty)
      #expect(table.sections[0].rows == controller.fetchedObjects)
      // The next report is relative to the rows the view shows.
      context.delete(controller.object(at: path(0)))
      context.processPendingChanges()
      #expect(table.calls == ["will", "-0.0", "did"])
    }
  }

  @Test(
    "are not reported to the view that moved them, but changes that observers make are")
  func changedByObserver() throws {
    try run([0, 10, 20, 30]) { context, controller, table in
      let victim = Unchecked((context, try #require(controller.fetchedObjects?[1])))
      let token = NotificationCenter.default.addObserver(
        forName: .NSManagedObjectContextObjectsDidChange, object: context, queue: nil
      ) { _ in
        let (context, object) = victim.value
        if !object.isDeleted { context.delete(object) }
      }
      defer { NotificationCenter.default.removeObserver(token) }
      table.drag(from: path(0), to: path(2))
      try controller.moveObject(from: path(0), to: path(2), shownBy: table)
      context.processPendingChanges()
      #expect(table.calls == ["will", "-0.0", "did"])
      #expect(table.violations.isEmpty, "\(table.violations)")
      #expect(table.sections[0].rows == controller.fetchedObjects)
    }
  }

  @Test(
    "are not reported to a view passed to keepUpdated, and pending changes are reported first")
  func suppressedView() throws {
    try run([0, 10, 20]) { context, controller, _ in
      let view = RecordingTable(traps: false) { [unowned controller] in
        [.init(name: "", rows: controller.fetchedObjects ?? [])]
      }
      controller.keepUpdated(view)
      controller.fetchedObjects?[2].setValue("new", forKey: "name")
      view.drag(from: path(0), to: path(1))
      let dragged = view.sections
      view.drag(from: path(1), to: path(0))
      context.processPendingChanges()
      #expect(view.calls == ["reloadRows 0.2"])
      view.drag(from: path(0), to: path(1))
      try controller.moveObject(from: path(0), to: path(1), shownBy: view)
      #expect(view.calls == ["reloadRows 0.2"] && view.sections == dragged)
      #expect(view.violations.isEmpty)
    }
  }

  @Test("are reported to the view that moved them if the move has a different effect")
  func otherEffects() throws {
    try SampleStack.withContext { context in
      for number in 0..<6 { context.insert("Player", ["name": "p\(number)", "number": number]) }
      try context.save()
      let controller = try controller(context, sort: ["number"], predicate: "number >= 0")
      let table = RecordingTable(traps: false)
      controller.delegate = table
      table.load(controller)
      table.drag(from: path(4), to: path(0))
      // The row gets the number -1, which does not match the predicate.
      try controller.moveObject(from: path(4), to: path(0), shownBy: table)
      #expect(table.calls == ["will", "-0.0", "did"])
      #expect(table.violations.isEmpty, "\(table.violations)")
      #expect(table.sections[0].rows == controller.fetchedObjects)
    }
  }

  @Test("throw an error if rows cannot be reordered, and nothing changes")
  func invalidMoves() throws {
    try SampleStack.withContext { context in
      let players = [("a", 1), ("b", 1), ("c", 2)].map {
        context.insert("Player", ["name": $0.0, "age": $0.1, "number": $0.1])
      }
      try context.save()
      func text(
        _ controller: NSFetchedResultsController<NSManagedObject>, _ from: IndexPath,
        _ to: IndexPath
      ) -> String {
        let error = #expect(throws: NSError.self) { try controller.moveObject(from: from, to: to) }
        #expect(error?.domain == NSCocoaErrorDomain && !context.hasChanges)
        return error?.localizedDescription ?? ""
      }
      let unsorted = try controller(context, sort: ["name"])
      #expect(
        text(unsorted, path(0), path(1))
          .contains("no sort descriptor sorts by a stored number (name)")
      )
      let grouped = try controller(context, sort: ["age"], section: "age")
      #expect(text(grouped, path(0), path(1)).contains("after the section's"))
      let byAge = try controller(context, sort: ["age", "number"])
      #expect(text(byAge, path(0), path(2)).contains("sorted by age first"))
      #expect(text(byAge, path(3), path(0)).contains("cannot move the row at 0.3"))
      #expect(text(byAge, path(0), path(3)).contains("cannot move a row to 0.3"))
      #expect(text(byAge, path(0), path(0, 1)).contains("no such section"))
      #expect(text(byAge, IndexPath(index: 0), path(0)).contains("a section and a row"))
      try byAge.moveObject(from: path(0), to: path(1))
      #expect(byAge.managedObjectContext.updatedObjects.isSubset(of: Set(players)))
      let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
      request.sortDescriptors = [NSSortDescriptor(key: "number", ascending: true)]
      let unread = NSFetchedResultsController(
        fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil,
        cacheName: nil)
      let error = #expect(throws: NSError.self) {
        try unread.moveObject(from: path(0), to: path(1))
      }
      #expect(error?.localizedDescription.contains("performFetch") == true)
    }
  }

  @Test("are where random moves put them")
  func randomMoves() throws {
    var random = SeededGenerator("reordering")
    let settings = [
      (["number"], 0, 0), (["-number"], 0, 0), (["score"], 0, 0), (["isActive", "-score"], 0, 0),
      (["number"], 5, 0), (["-number"], 4, 4), (["score"], 0, 7), (["isActive", "number"], 6, 3),
    ]
    for (sort, limit, offset) in settings {
      try SampleStack.withContext { context in
        for place in 0..<12 {
          let isNull = Int.random(in: 0..<6, using: &random) == 0
          context.insert(
            "Player",
            [
              "name": "p\(place)", "isActive": true,
              "number": isNull ? nil : Int.random(in: 0..<8, using: &random),
              "score": isNull ? nil : Double(Int.random(in: 0..<4, using: &random)),
            ])
        }
        try context.save()
        let controller = try controller(context, sort: sort, limit: limit, offset: offset)
        let other = try self.controller(context, sort: sort, limit: limit, offset: offset)
        let count = controller.fetchedObjects?.count ?? 0
        let (table, otherTable) = (RecordingTable(traps: false), RecordingTable(traps: false))
        controller.delegate = table
        other.delegate = otherTable
        table.load(controller)
        otherTable.load(other)
        for step in 0..<WholeRun.steps(20, whole: 60) {
          let (from, to) = (
            Int.random(in: 0..<count, using: &random), Int.random(in: 0..<count, using: &random)
          )
          table.drag(from: path(from), to: path(to))
          let expected = table.sections[0].rows
          try controller.moveObject(from: path(from), to: path(to), shownBy: table)
          let message: Comment =
            "seed \(random.seed), \(sort) \(limit) \(offset), step \(step): \(from)>\(to)"
          #expect(controller.fetchedObjects == expected, message)
          #expect(
            table.violations.isEmpty && otherTable.violations.isEmpty && table.calls.isEmpty,
            message)
          #expect(otherTable.sections[0].rows == expected, message)
          #expect(context.findBrokenInvariant() == nil, message)
          #expect(controller.findBrokenInvariant() == nil, message)
          if step % 10 == 0 { try context.save() }
        }
      }
    }
  }
}
