import CoreData
import FixtureSupport
import Foundation
import ObjectModel
import StoreInspection
import Testing

@testable import CoreDataExplorer

@Suite("The distribution of a column's values")
struct SpreadTests {
  private struct Distribution {
    let kind: String?
    let by: String?
    let total: Int
    let empty: Int
    let bins: [(label: String, count: Int, condition: String)]
  }

  private func spread(_ entity: String, _ key: String, _ store: ExploredStore) async throws
    -> Distribution
  {
    let answer = try await store.json("/api/histogram?entity=\(entity)&key=\(key)")
    let bins = try #require(answer["bins"] as? [[String: Any]])
    let read = bins.map {
      ($0["label"] as? String ?? "", $0["count"] as? Int ?? 0, $0["where"] as? String ?? "")
    }
    for (label, count, condition) in read {
      let page = try await store.json(
        "/api/tables/\(entity)?limit=1000&where=\(Address.escaped(condition))")
      #expect((page["rows"] as? [Any])?.count == count, "\(label): \(condition)")
    }
    return Distribution(
      kind: answer["kind"] as? String, by: answer["by"] as? String,
      total: answer["total"] as? Int ?? 0,
      empty: answer["empty"] as? Int ?? 0, bins: read)
  }

  // The values are from Apple's sample libraries: the steps to 2.8 and to 0.6 exceed these numbers by
  // rounding errors, and some photos have dates in distant years.
  @Test("Every value is in a range, including the last one and those of distant years")
  func ends() async throws {
    func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
      let attribute = NSAttributeDescription()
      (attribute.name, attribute.attributeType, attribute.isOptional) = (name, type, true)
      return attribute
    }
    let photo = NSEntityDescription()
    photo.name = "Photo"
    photo.properties = [
      attribute("aperture", .doubleAttributeType), attribute("taken", .dateAttributeType),
    ]
    let model = NSManagedObjectModel()
    model.entities = [photo]
    let years = [
      0, 60 * 60 * 24 * 365.25, Date.distantFuture.timeIntervalSinceReferenceDate, 1.2e14,
    ]
    for (low, high) in [(1.8, 2.8), (0, 0.6), (0.1, 0.7), (-0.3, 0.3), (5, 5)] {
      let store = try ExploredStore(model) { context in
        for (number, share) in [0, 0.3, 0.99, 1].enumerated() {
          let photo = NSEntityDescription.insertNewObject(forEntityName: "Photo", into: context)
          photo.setValue(low + (high - low) * share, forKey: "aperture")
          photo.setValue(Date(timeIntervalSinceReferenceDate: years[number]), forKey: "taken")
        }
        let photo = NSEntityDescription.insertNewObject(forEntityName: "Photo", into: context)
        photo.setValue(high, forKey: "aperture")
      }
      let apertures = try await spread("Photo", "aperture", store)
      #expect(apertures.bins.map(\.count).reduce(0, +) == 5, "\(low) to \(high): \(apertures)")
      let dates = try await spread("Photo", "taken", store)
      #expect(dates.bins.map(\.count).reduce(0, +) == 4, "\(dates)")
      #expect(dates.bins.count < 50)
      await store.close()
    }
  }

  @Test("Rows are counted by the label of their destination object, including unsaved labels")
  func toOne() async throws {
    let store = try ExploredStore(RuledModel.make(), isWritable: true, RuledModel.fill)
    let saved = try await spread("Ball", "box", store)
    #expect(saved.kind == "text" && saved.by == "name" && saved.total == 3 && saved.empty == 1)
    #expect(saved.bins.map(\.label) == ["Open"] && saved.bins.map(\.count) == [2])
    let id = try #require(try await idOf("Open", store))
    let edit = """
      {"operations":[{"op":"set","entity":"Box","id":"\(id)","key":"name","text":"Ajar"}]}
      """
    #expect(try await store.post("/api/edit", edit).0 == 200)
    let unsaved = try await spread("Ball", "box", store)
    #expect(unsaved.bins.map(\.label) == ["Ajar"] && unsaved.bins.map(\.count) == [2])
    await store.close()
  }

  @Test("Rows are counted by the values of their destination object, including unsaved values")
  func keyPath() async throws {
    let store = try ExploredStore(RuledModel.make(), isWritable: true, RuledModel.fill)
    let saved = try await spread("Ball", "box.name", store)
    #expect(saved.kind == "text" && saved.by == nil && saved.total == 3 && saved.empty == 1)
    #expect(saved.bins.map(\.label) == ["Open"] && saved.bins.map(\.count) == [2])
    let counted = try await spread("Lock", "box.balls", store)
    #expect(counted.bins.map(\.label) == ["0"] && counted.bins.map(\.count) == [1])
    let (open, shut) = (
      try #require(try await idOf("Open", store)), try #require(try await idOf("Shut", store))
    )
    #expect(try await store.set(open, "name", "Ajar", entity: "Box").0 == 200)
    let unsaved = try await spread("Ball", "box.name", store)
    #expect(unsaved.bins.map(\.label) == ["Ajar"] && unsaved.bins.map(\.count) == [2])
    let into = #""into":{"entity":"Box","id":"\#(shut)","relationship":"balls"}"#
    let insert = #"{"op":"insert","entity":"Ball","values":{"name":"New"},\#(into)}"#
    #expect(try await store.post("/api/edit", #"{"operations":[\#(insert)]}"#).0 == 200)
    let recounted = try await spread("Lock", "box.balls", store)
    #expect(recounted.bins.filter { $0.count > 0 }.map(\.label) == ["1"])
    await store.close()
  }

  private func idOf(_ box: String, _ store: ExploredStore) async throws -> String? {
    let page = try await store.json("/api/tables/Box?where=\(Address.escaped("name == '\(box)'"))")
    return (page["rows"] as? [[String: Any]])?.first?["id"] as? String
  }

  @Test("Rows are counted by their numbers of members, including unsaved members")
  func toMany() async throws {
    let store = try ExploredStore(RuledModel.make(), isWritable: true, RuledModel.fill)
    let saved = try await spread("Box", "balls", store)
    #expect(saved.kind == "members" && saved.total == 2 && saved.empty == 0)
    #expect(saved.bins.map(\.label) == ["0", "1", "2"] && saved.bins.map(\.count) == [1, 0, 1])
    let id = try #require(try await idOf("Shut", store))
    let into = #""into":{"entity":"Box","id":"\#(id)","relationship":"balls"}"#
    let insert = #"{"op":"insert","entity":"Ball","values":{"name":"New"},\#(into)}"#
    let edit = #"{"operations":[\#(Array(repeating: insert, count: 4).joined(separator: ","))]}"#
    #expect(try await store.post("/api/edit", edit).0 == 200)
    let unsaved = try await spread("Box", "balls", store)
    #expect(unsaved.bins.filter { $0.count > 0 }.map(\.label) == ["2", "4"])
    await store.close()
  }

  @Test("The most frequent values are found among more values than are read at a time")
  func mostFrequent() async throws {
    // In alphabetical order, the most frequent values are the last ones.
    let names = (1...20).flatMap { Array(repeating: "N\($0 + 10)", count: $0) }
    let store = try ExploredStore(names)
    let explorer = store.explorer
    let most = try await explorer.context.perform {
      let person = try #require(explorer.store.model.entitiesByName["Person"])
      let values = BinnedValues(
        path: "lastName",
        query: try RowSelection(entity: person, where: nil, in: explorer.store.coordinator),
        context: explorer.context)
      return try values.mostFrequent(3, readingAtATime: 4).map { "\($0.value) \($0.count)" }
    }
    #expect(most == ["N30 20", "N29 19", "N28 18"])
    await store.close()
  }

  @Test("Properties that are not stored have no distribution and are no columns")
  func transient() async throws {
    let store = try ExploredStore(RuledModel.make(), RuledModel.fill)
    for key in ["shade", "objectID"] {
      #expect(await store.get("/api/histogram?entity=Box&key=\(key)").status == 400)
    }
    #expect(await store.get("/api/tables/Box?columns=name,shade").status == 400)
    await store.close()
  }

  @Test(
    "Identifiers, URLs and bytes have a distribution, and integers are exact to the last digit")
  func manyTypes() async throws {
    let (model, day) = (WideModel.make(), Date(timeIntervalSinceReferenceDate: 0))
    let store = try ExploredStore(model) { context in
      for number in 0..<6 {
        let thing = NSEntityDescription.insertNewObject(forEntityName: "Wide", into: context)
        thing.setValuesForKeys([
          "large": NSNumber(value: Int64.max - Int64(number)), "in": NSNumber(value: number),
          "key": UUID(uuid: (1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(number % 2))),
          "link": URL(string: "https://example.org/\(number % 3)") as Any,
          "price": NSDecimalNumber(string: "12345678901234567.0\(number)"),
          "bytes": number < 2 ? Data([1]) as Any : NSNull(),
          "place": ["town": "T\(number % 2)", "since": day] as [String: Any],
        ])
      }
    }
    for (key, kind, bins) in [
      ("large", "number", 6), ("in", "number", 6), ("key", "text", 2), ("link", "text", 3),
      ("bytes", "presence", 1), ("place", "presence", 1), ("place.town", "text", 2),
      ("place.since", "date", 1),
    ] {
      let answer = try await spread("Wide", key, store)
      #expect(
        answer.kind == kind && answer.bins.count { $0.count > 0 } == bins, "\(key): \(answer)")
      #expect(answer.bins.reduce(0) { $0 + $1.count } + answer.empty == 6, "\(key): \(answer)")
    }
    let wide = try #require(model.entitiesByName["Wide"])
    let options = PredicateCompletion("place.s", at: 7, of: wide).options
    #expect(options.map(\.text) == ["place.since"])
    #expect(
      PredicateCompletion("place.since > ", at: 14, of: wide).options.contains {
        $0.detail == "today"
      })
    let price = try await spread("Wide", "price", store)
    #expect(price.bins.reduce(0) { $0 + $1.count } == 6, "\(price)")
    await store.close()
  }

  @Test("Ranges contain every number between their ends once")
  func exactRanges() {
    var random = SeededGenerator("exactRanges")
    for _ in 0..<500 {
      let magnitude = Int.random(in: 0..<63, using: &random)
      let bound = magnitude == 62 ? Int64.max : Int64(1) << magnitude
      let one = Int64.random(in: -bound...bound, using: &random)
      let other = Int64.random(in: -bound...bound, using: &random)
      let (low, high) = (min(one, other), max(one, other))
      let ranges = ExactRanges(
        from: Decimal(low), to: Decimal(high), isWhole: true, of: "n", about: 24
      ).ranges
      #expect(ranges.count <= 96)
      for number in [low, high, low / 2 + high / 2, low + (high / 4 - low / 4)] {
        let holding = ranges.count { Self.holds($0.condition, number) }
        #expect(holding == 1, "\(number) of \(low)…\(high): \(ranges.map(\.condition))")
      }
    }
  }

  /// Returns whether a number meets `n == 1`, or `n >= 1 AND n < 5` or one of its two parts.
  private static func holds(_ condition: String, _ number: Int64) -> Bool {
    condition.components(separatedBy: " AND ").allSatisfy { part in
      let words = part.split(separator: " ")
      guard words.count == 3, let bound = Int64(words[2]) else { return false }
      return switch words[1] {
      case "==": number == bound
      case ">=": number >= bound
      case "<": number < bound
      default: false
      }
    }
  }
}

/// A model with values of the rarer types. One attribute's name is a word of the predicate
/// language.
private enum WideModel {
  static func make() -> NSManagedObjectModel {
    let place = NSCompositeAttributeDescription()
    place.name = "place"
    place.isOptional = true
    place.elements = [
      attribute("town", .stringAttributeType), attribute("since", .dateAttributeType),
    ]
    let wide = NSEntityDescription()
    wide.name = "Wide"
    wide.properties = [
      attribute("large", .integer64AttributeType), attribute("in", .integer16AttributeType),
      attribute("key", .UUIDAttributeType), attribute("link", .URIAttributeType),
      attribute("price", .decimalAttributeType), attribute("bytes", .binaryDataAttributeType),
      place,
    ]
    let model = NSManagedObjectModel()
    model.entities = [wide]
    return model
  }

  private static func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
    let attribute = NSAttributeDescription()
    attribute.name = name
    attribute.attributeType = type
    attribute.isOptional = true
    return attribute
  }
}
