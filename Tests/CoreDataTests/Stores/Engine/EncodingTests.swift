import CoreData
import Foundation
import Testing

/// The order of texts in files of every encoding. SQLite compares texts by the bytes of the file's encoding. Only in
/// UTF-8 is this the order of code points.
@Suite struct EncodingTests {
  static let encodings = ["UTF-8", "UTF-16le", "UTF-16be"]
  /// In the order of code points. The last one is a pair of surrogates in UTF-16.
  private static let names = ["Ann", "B", "ÿves", "Łukasz", "ａ", "😀"]

  private func filled(_ encoding: String) throws -> EngineStore {
    let opened = try EngineStore([NSSQLitePragmasOption: ["encoding": encoding]])
    try opened.context.performAndWait {
      for name in ["😀", "Ann", "Łukasz", "ａ", "B", "ÿves"] {
        opened.context.insert("Player", ["name": name])
      }
      try opened.context.save()
      opened.context.reset()
    }
    return opened
  }

  @Test(arguments: encodings)
  func `Texts are sorted and paged by code points in every encoding`(_ encoding: String) throws {
    let opened = try filled(encoding)
    #expect(try opened.names() == Self.names)
    try opened.context.performAndWait { () throws in
      let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
      request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: false)]
      (request.fetchOffset, request.fetchLimit) = (1, 2)
      #expect(try opened.context.fetch(request).map { $0["name"] } == ["ａ", "Łukasz"])
    }
  }

  @Test(arguments: encodings)
  func `Texts are compared by code points in every encoding`(_ encoding: String) throws {
    let opened = try filled(encoding)
    let conditions = [
      "name BEGINSWITH 'A'": ["Ann"], "name BEGINSWITH 'ÿ'": ["ÿves"], "name LIKE 'ÿ*s'": ["ÿves"],
      "lowercase:(name) BEGINSWITH 'ÿ'": ["ÿves"], "lowercase:(name) BEGINSWITH 'b'": ["B"],
      "name < 'B'": ["Ann"], "name <= 'B'": ["Ann", "B"], "name > 'ａ'": ["😀"],
      "name >= 'Łukasz'": ["Łukasz", "ａ", "😀"], "'ÿves' < name": ["Łukasz", "ａ", "😀"],
      "name BETWEEN {'B', 'Łukasz'}": ["B", "ÿves", "Łukasz"], "name == 'ÿves'": ["ÿves"],
    ]
    try opened.context.performAndWait {
      for (condition, expected) in conditions {
        let found = try opened.context.all("Player", condition, sort: ["name"])
        #expect(found.map { $0["name"] } == expected, "\(condition)")
      }
    }
  }

  @Test(arguments: encodings)
  func `The least and greatest texts are those by code points in every encoding`(
    _ encoding: String
  ) throws {
    let opened = try filled(encoding)
    let request = NSFetchRequest<NSDictionary>(entityName: "Player")
    request.resultType = .dictionaryResultType
    request.propertiesToFetch = ["min", "max"].map { function in
      let column = NSExpressionDescription()
      column.name = function
      column.expression = NSExpression(format: "\(function):(name)")
      column.expressionResultType = .stringAttributeType
      return column
    }
    try opened.context.performAndWait {
      let row = try #require(try opened.context.fetch(request).first)
      #expect(row["min"] as? String == "Ann")
      #expect(row["max"] as? String == "😀")
    }
  }

  @Test(arguments: encodings)
  func `Live results have the order of memory in every encoding`(_ encoding: String) throws {
    let opened = try filled(encoding)
    try opened.context.performAndWait {
      let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
      request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
      request.fetchBatchSize = 2
      let controller = NSFetchedResultsController(
        fetchRequest: request, managedObjectContext: opened.context, sectionNameKeyPath: nil,
        cacheName: nil)
      try controller.performFetch()
      let objects = controller.fetchedObjects ?? []
      #expect(objects.map { $0["name"] } == Self.names)
      // A row is found by comparing sort keys in memory.
      let rows = objects.map { controller.indexPath(forObject: $0)?.row }
      #expect(rows == Array(0..<Self.names.count))
    }
  }
}
