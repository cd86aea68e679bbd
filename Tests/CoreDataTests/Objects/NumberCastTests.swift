import CoreData
import Testing

/// Source: on Apple's platforms these values are `NSNumber`s, which cast to each Swift type that
/// can represent the number (SE-0170).
@Suite("Numbers of type Any cast to each numeric type that can represent them", .onEveryStore)
struct NumberCastTests {
  private func requireCasts(
    _ value: Any?, _ number: Double, _ comment: Comment? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(value as? Double == number, comment, sourceLocation: sourceLocation)
    #expect(value as? Float == Float(number), comment, sourceLocation: sourceLocation)
    #expect(
      (value as? NSNumber)?.doubleValue == number, comment, sourceLocation: sourceLocation)
    #expect(value as? Int == Int(exactly: number), comment, sourceLocation: sourceLocation)
    #expect(value as? Int64 == Int64(exactly: number), comment, sourceLocation: sourceLocation)
    #expect(value as? Int16 == Int16(exactly: number), comment, sourceLocation: sourceLocation)
  }

  private static var numbers: [(given: Any, number: Double)] {
    [
      (7, 7), (true, 1), (false, 0), (2.5, 2.5), (Float(0.5), 0.5), (Int16(-3), -3),
      (UInt8(9), 9), (UInt(11), 11), (Decimal(4), 4), (NSNumber(value: 12), 12),
      (NSNumber(value: true), 1),
    ]
  }

  @Test("Default values and user info cast", .only([.memorySQLite], "no store is opened"))
  func descriptions() throws {
    for (given, number) in Self.numbers {
      let attribute = NSAttributeDescription()
      let comment: Comment = "\(type(of: given)) \(given)"
      attribute.defaultValue = given
      requireCasts(attribute.defaultValue, number, comment)
      let copy = try #require(attribute.copy() as? NSAttributeDescription)
      requireCasts(copy.defaultValue, number, comment)
      attribute.userInfo = ["limit": given]
      attribute.userInfo?["other"] = given
      requireCasts(attribute.userInfo?["limit"], number, comment)
      requireCasts(attribute.userInfo?["other"], number, comment)
      let entity = NSEntityDescription()
      entity.userInfo = ["deep": ["list": [given]]]
      let deep = entity.userInfo?["deep"] as? [String: Any]
      requireCasts((deep?["list"] as? [Any])?.first, number, comment)
      let (mapping, property) = (NSEntityMapping(), NSPropertyMapping())
      mapping.userInfo = ["limit": given]
      property.userInfo = ["limit": given]
      requireCasts(mapping.userInfo?["limit"], number, comment)
      requireCasts(property.userInfo?["limit"], number, comment)
    }
    let flag = NSAttributeDescription()
    flag.defaultValue = true
    #expect(flag.defaultValue as? Bool == true)
    flag.defaultValue = ["a", "b"]
    #expect(flag.defaultValue as? [String] == ["a", "b"])
    flag.defaultValue = ["x": 1, "y": 2.5] as [String: Any]
    #expect(flag.defaultValue as? [String: Double] == ["x": 1, "y": 2.5])
    let entity = NSEntityDescription()
    requireCasts(entity.value(forKey: "isAbstract"), 0)
    requireCasts(flag.value(forKey: "optional"), 1)
  }

  @Test(
    "Dictionary results cast",
    .only(TestedStore.allCases, "the custom test store does not group"))
  func dictionaries() throws {
    try SampleStack.withContext { context in
      context.insert("Player", ["age": 20, "score": 1.5, "isActive": true])
      context.insert("Player", ["age": 23, "score": 2, "isActive": true])
      try context.save()
      func column(_ name: String, _ format: String, _ type: NSAttributeType)
        -> NSExpressionDescription
      {
        let column = NSExpressionDescription()
        column.name = name
        column.expression = NSExpression(format: format)
        column.expressionResultType = type
        return column
      }
      let request = NSFetchRequest<NSDictionary>(entityName: "Player")
      request.resultType = .dictionaryResultType
      request.propertiesToFetch = [
        "age", "score", "isActive", column("twice", "age * 2", .integer64AttributeType),
        column("exact", "age + 0.25", .decimalAttributeType),
      ]
      request.sortDescriptors = [NSSortDescriptor(key: "age", ascending: true)]
      let row = try #require(try context.fetch(request).first)
      let values = try #require(row as? [String: Any])
      for (key, number) in [("age", 20), ("score", 1.5), ("twice", 40), ("exact", 20.25)] {
        requireCasts(row[key], number, "\(key)")
        requireCasts(row.value(forKey: key), number, "\(key)")
        requireCasts(values[key], number, "\(key)")
      }
      // Foundation on Linux returns a Boolean in an NSDictionary as a Bool.
      #expect(row["isActive"] as? Bool == true && row["isActive"] as? NSNumber == 1)
      request.propertiesToFetch = [
        column("count", "count:(age)", .integer64AttributeType),
        column("sum", "sum:(age)", .integer64AttributeType),
        column("average", "average:(age)", .doubleAttributeType),
        column("most", "max:(score)", .doubleAttributeType),
      ]
      request.sortDescriptors = nil
      let all = try #require(try context.fetch(request).first)
      for (key, number) in [("count", 2), ("sum", 43), ("average", 21.5), ("most", 2)] {
        requireCasts(all[key], number, "\(key)")
      }
      let count = NSFetchRequest<NSNumber>(entityName: "Player")
      count.resultType = .countResultType
      requireCasts(try context.fetch(count).first, 2)
    }
  }

  @Test("Objects' values cast, however they are read")
  func objects() throws {
    let model = SampleStack.makeModel()
    let player = try #require(model.entitiesByName["Player"])
    let note = SampleStack.attribute("note", .undefinedAttributeType)
    note.isTransient = true
    player.properties.append(note)
    player.attributesByName["number"]?.setValidationPredicates(
      [NSPredicate(format: "SELF > 10")], withValidationWarnings: ["too small"])
    try SampleStack.withContext(model: model) { context in
      let ann = context.insert(
        "Player", ["age": 20, "score": 1.5, "isActive": true, "note": 5, "number": 11])
      func requireAll(_ read: (String) -> Any?, _ what: Comment) {
        requireCasts(read("age"), 20, what)
        requireCasts(read("score"), 1.5, what)
        requireCasts(read("isActive"), 1, what)
        #expect(read("isActive") as? Bool == true, what)
      }
      requireAll({ ann.changedValues()[$0] }, "changed")
      try context.save()
      requireAll({ ann.value(forKey: $0) }, "value")
      requireAll({ ann.value(forKeyPath: $0) }, "key path")
      requireAll({ ann.primitiveValue(forKey: $0) }, "primitive")
      requireAll({ ann.committedValues(forKeys: nil)[$0] }, "committed")
      requireAll({ ann.dictionaryWithValues(forKeys: [$0])[$0] }, "dictionary")
      requireCasts(ann.value(forKey: "note"), 5)
      requireCasts(ann.primitiveValue(forKey: "note"), 5)
      requireCasts(ann.value(forKey: "isInserted"), 0)
      let error = #expect(throws: NSError.self) { try ann.validateValue(7, forKey: "number") }
      requireCasts(error?.userInfo[NSValidationValueErrorKey], 7)
      let node = NSIncrementalStoreNode(
        objectID: ann.objectID, withValues: ["age": 7], version: 1)
      requireCasts(node.value(for: try #require(player.attributesByName["age"])), 7)
    }
  }

  @Test(
    "Results of batch requests and history requests cast",
    .only([.sqlite], "only SQLite stores keep history"))
  func results() throws {
    let folder = try TemporaryFolder()
    let (_, context) = try TestedStore.sqlite.open(
      SampleStack.makeModel(), at: folder.file("a.sqlite"),
      options: [NSPersistentHistoryTrackingKey: true as NSNumber])
    try context.performAndWait {
      let insertion = NSBatchInsertRequest(
        entityName: "Tag", objects: [["label": "a"], ["label": "b"]])
      insertion.resultType = .count
      requireCasts((try context.execute(insertion) as? NSBatchInsertResult)?.result, 2)
      let update = NSBatchUpdateRequest(entityName: "Tag")
      update.propertiesToUpdate = ["label": "c"]
      let status = try context.execute(update) as? NSBatchUpdateResult
      requireCasts(status?.result, 1)
      #expect(status?.result as? Bool == true)
      update.resultType = .updatedObjectsCountResultType
      requireCasts((try context.execute(update) as? NSBatchUpdateResult)?.result, 2)
      let history = NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast)
      history.resultType = .count
      requireCasts((try context.execute(history) as? NSPersistentHistoryResult)?.result, 3)
      let deletion = NSBatchDeleteRequest(fetchRequest: NSFetchRequest(entityName: "Tag"))
      deletion.resultType = .resultTypeCount
      requireCasts((try context.execute(deletion) as? NSBatchDeleteResult)?.result, 2)
    }
  }

  @Test("Metadata and options cast", .only(TestedStore.fileKinds, "the test opens the file again"))
  func stores() throws {
    let kind = StoreScope.current.kind
    let url = try StoreScope.current.newURL()
    let (store, context) = try kind.open(
      SampleStack.makeModel(), at: url, options: ["mine": true, "yours": 3])
    requireCasts(store.options?["mine"], 1)
    requireCasts(store.options?["yours"], 3)
    store.metadata["count"] = 3
    store.metadata["flag"] = true
    store.metadata["list"] = [1, true] as [Any]
    func requireMetadata(_ metadata: [String: Any]) {
      requireCasts(metadata["count"], 3)
      requireCasts(metadata["flag"], 1)
      #expect(metadata["flag"] as? Bool == true)
      #expect(metadata["list"] as? [Double] == [1, 1])
      requireCasts(metadata["NSPersistenceFrameworkVersion"], 1414)
    }
    requireMetadata(store.metadata)
    try context.performAndWait { try context.save() }
    requireMetadata(
      try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: kind.type, at: url))
    requireMetadata(try kind.open(SampleStack.makeModel(), at: url).store.metadata)
  }
}
