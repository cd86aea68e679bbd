import CoreData
import Testing

@Suite("The dictionary that a batch insertion passes to its handler")
struct RowDictionaryTests {
  @Test("works like Foundation's dictionaries, and is empty at each call")
  func asFoundations() throws {
    try SampleStack.withContext { context in
      var row = 0
      let request = NSBatchInsertRequest(
        entityName: "Player",
        dictionaryHandler: { (values: NSMutableDictionary) in
          #expect(values.count == 0)
          #expect(values["name"] == nil)
          row += 1
          switch row {
          case 1:
            values["name"] = "Ada"
            values["age"] = 36
            values["shoes"] = "no such attribute"
            #expect(values.count == 3)
            #expect(values["name"] as? String == "Ada")
            #expect(values["shoes"] as? String == "no such attribute")
            let keys = Set(values.allKeys.map { "\($0)" })
            #expect(keys == ["name", "age", "shoes"])
            #expect(values.allValues.count == 3)
            #expect((values.copy() as? NSDictionary)?["age"] as? Int == 36)
            #expect((values.mutableCopy() as? NSMutableDictionary)?.count == 3)
            var seen: [String: String] = [:]
            for (key, value) in values { seen["\(key)"] = "\(value)" }
            #expect(seen == ["name": "Ada", "age": "36", "shoes": "no such attribute"])
          case 2:
            values.addEntries(from: ["name": "Grace", "age": 1])
            values.removeObject(forKey: "age")
            values["name"] = nil
            values.setObject(NSString(string: "Hopper"), forKey: NSString(string: "name"))
          case 3:
            values["age"] = NSNumber(value: 7)
            values["name"] = NSNull()
          default: return true
          }
          return false
        })
      _ = try context.batchInsert(request)
      #expect(try context.column("Player", "name") == ["-", "Ada", "Hopper"])
      #expect(try context.column("Player", "age", "name == 'Ada'") == ["36"])
      #expect(try context.column("Player", "age", "name == 'Hopper'") == ["-"])
      #expect(try context.column("Player", "age", "name == nil") == ["7"])
    }
  }

  @Test("rejects a value of the wrong type")
  func wrongType() throws {
    try SampleStack.withContext { context in
      var isFirst = true
      let request = NSBatchInsertRequest(
        entityName: "Player",
        dictionaryHandler: { (values: NSMutableDictionary) in
          defer { isFirst = false }
          values["age"] = "old"
          return !isFirst
        })
      let error = failure { try context.execute(request) }
      #expect(error?.localizedDescription.contains("Player.age") == true)
      let ages = try context.column("Player", "age")
      #expect(ages.isEmpty)
    }
  }
}
