import CoreData
import Foundation
import StoreInspection
import Testing

@testable import CoreDataExplorer

@Suite("Bytes in the explorer")
struct BytesTests {
  /// Returns a model of `Film`s with bytes in the row, and their `Cut`s with bytes of their own. `look`
  /// has a value transformer that only a program registers.
  private static func model() -> NSManagedObjectModel {
    func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
      let attribute = NSAttributeDescription()
      (attribute.name, attribute.attributeType, attribute.isOptional) = (name, type, true)
      return attribute
    }
    func relationship(_ name: String, _ count: Int) -> NSRelationshipDescription {
      let relationship = NSRelationshipDescription()
      (relationship.name, relationship.maxCount, relationship.isOptional) = (name, count, true)
      relationship.deleteRule = .nullifyDeleteRule
      return relationship
    }
    let (film, cut) = (NSEntityDescription(), NSEntityDescription())
    let look = attribute("look", .transformableAttributeType)
    look.valueTransformerName = "LooksOfOneProgramAlone"
    let (cuts, of) = (relationship("cuts", 0), relationship("of", 1))
    (cuts.destinationEntity, of.destinationEntity) = (cut, film)
    (cuts.inverseRelationship, of.inverseRelationship) = (of, cuts)
    film.name = "Film"
    let poster = attribute("poster", .binaryDataAttributeType)
    poster.allowsExternalBinaryDataStorage = true
    film.properties = [
      poster,
      attribute("title", .stringAttributeType), attribute("reel", .binaryDataAttributeType),
      attribute("year", .integer16AttributeType), look, cuts,
    ]
    cut.name = "Cut"
    cut.properties = [attribute("trailer", .binaryDataAttributeType), of]
    let model = NSManagedObjectModel()
    model.entities = [film, cut]
    return model
  }

  /// Makes films whose reels have these sizes in megabytes.
  private func store(_ megabytes: [Int], isWritable: Bool = false) throws -> ExploredStore {
    try ExploredStore(Self.model(), isWritable: isWritable) { context in
      for (number, size) in megabytes.enumerated() {
        let film = NSEntityDescription.insertNewObject(forEntityName: "Film", into: context)
        film.setValuesForKeys(["title": "F\(number)", "year": 1990 + number])
        film.setValue(Data(repeating: 7, count: size << 20), forKey: "reel")
        film.setValue(Data(repeating: 8, count: 200_000 * (number + 1)), forKey: "poster")
        let cut = NSEntityDescription.insertNewObject(forEntityName: "Cut", into: context)
        cut.setValuesForKeys(["trailer": Data([1, 2, 3]), "of": film])
      }
    }
  }

  @Test func `A value whose file is missing is shown, exported and printed as unreadable`()
    async throws
  {
    let store = try store([0, 0])
    let files = store.folder.appendingPathComponent(".Contacts_SUPPORT/_EXTERNAL_DATA")
    for name in try FileManager.default.contentsOfDirectory(atPath: files.path) {
      try FileManager.default.removeItem(at: files.appendingPathComponent(name))
    }
    let page = try await store.json("/api/tables/Film?sort=title&columns=title,poster")
    let rows = try #require(page["rows"] as? [[String: Any]])
    for row in rows {
      let poster = (row["cells"] as? [Any])?.last as? [String: Any]
      #expect(poster?["t"] as? String == "unreadable" && poster?["v"] as? String == "‹unreadable›")
    }
    #expect(rows.count == 2)
    #expect(try await store.text("/entities/Film/p1").contains("‹unreadable›"))
    let target = "/api/tables/Film/export"
    #expect(
      try await store.text("\(target).csv?sort=title&columns=title,poster")
        == "title,poster\r\nF0,‹unreadable›\r\nF1,‹unreadable›\r\n")
    #expect(
      try await store.text("\(target).json?where=title+%3D%3D+'F0'&columns=poster")
        == "[\n{\"poster\":\"‹unreadable›\"}\n]\n")
    await store.close()
  }

  // A page of a hundred rows of 50 MB needed 5 GB of memory and half a minute.
  @Test(
    "Rows with more bytes than a page may have are shown without the bytes", arguments: [1, 20])
  func heavy(_ megabytes: Int) async throws {
    let store = try store([megabytes, megabytes])
    let columns = "columns=title,reel,year,cuts,objectID"
    // Pages are read by position at first, and from live results after the request for events.
    for isLive in [false, true] {
      if isLive { _ = await store.get("/api/tables/Film/events?sort=title&\(columns)") }
      let page = try await store.json("/api/tables/Film?sort=title&\(columns)")
      let rows = try #require(page["rows"] as? [[String: Any]])
      let posters = try await store.json("/api/tables/Film?sort=title&columns=poster")
      let sizes = (posters["rows"] as? [[String: Any]])?
        .map { (($0["cells"] as? [Any])?.first as? [String: Any])?["size"] as? Int }
      #expect(sizes == [200_000, 400_000])
      #expect(rows.map { $0["label"] as? String } == ["F0", "F1"])
      for (number, row) in rows.enumerated() {
        let cells = try #require(row["cells"] as? [Any])
        #expect(cells[0] as? String == "F\(number)" && cells[2] as? Int == 1990 + number)
        let reel = try #require(cells[1] as? [String: Any])
        #expect(reel["size"] as? Int == megabytes << 20 && reel["t"] as? String == "data")
        // The first bytes of what was read are shown.
        #expect((reel["head"] as? String)?.isEmpty == (megabytes > 16))
        #expect((cells[3] as? [String: Any])?["count"] as? Int == 1)
        #expect((cells[4] as? [String: Any])?["id"] as? String == row["id"] as? String)
      }
    }
    // The same holds for films that are shown through a relationship.
    let cuts = try await store.json("/api/tables/Cut?columns=of,of.title,trailer")
    let cells = try #require(cuts["rows"] as? [[String: Any]]).compactMap { $0["cells"] as? [Any] }
    #expect(cells.map { ($0[0] as? [String: Any])?["label"] as? String } == ["F0", "F1"])
    #expect(cells.map { $0[1] as? String } == ["F0", "F1"])
    #expect(try await store.text("/entities/Film?sort=title").contains("F1"))
    await store.close()
  }

  @Test(
    "A value larger than memory, and a long one, are shown without reading them completely")
  func endless() async throws {
    let cast = NSAttributeDescription()
    (cast.name, cast.attributeType, cast.isOptional) = ("cast", .transformableAttributeType, true)
    let model = Self.model()
    model.entitiesByName["Film"]?.properties.append(cast)
    let store = try ExploredStore(model) { context in
      for _ in 0..<2 {
        // Swift's arrays share their elements. Printing this one completely would never end.
        var list: [Any] = ["a"]
        for _ in 0..<12 { list = [list, list] }
        let film = NSEntityDescription.insertNewObject(forEntityName: "Film", into: context)
        film.setValue(list, forKey: "cast")
        film.setValue(Data(repeating: 8, count: 200_000), forKey: "poster")
      }
    }
    let data = store.folder.appendingPathComponent(".Contacts_SUPPORT/_EXTERNAL_DATA")
    for name in try FileManager.default.contentsOfDirectory(atPath: data.path) {
      // No value can have so many bytes, so reading it would fail.
      let file = try FileHandle(forWritingTo: data.appendingPathComponent(name))
      try file.truncate(atOffset: 3 << 30)
      try file.close()
    }
    for target in ["/api/tables/Film", "/api/objects/Film/p1", "/api/objects/Film/p2"] {
      let answer = try await store.text(target)
      #expect(answer.contains("\"size\":3221225472") && answer.contains("\"cut\""), "\(answer)")
      #expect(answer.contains("\"head\":\"0808"), "\(answer)")
    }
    for target in ["/entities/Film", "/entities/Film/p1"] {
      #expect(try await store.text(target).contains("‹3.2 GB›"))
    }
    #expect(try await !store.text("/api/objects/Film/p2/data/cast").contains("…"))
    await store.close()
  }

  @Test("Undoing a deletion restores the value of a custom transformer")
  func transformed() async throws {
    let store = try store([0], isWritable: true)
    let made = Data([9, 8, 7])
    try await store.saveElsewhere { context in
      let film = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Film")).first
      film?.setValue(made, forKey: "look")
    }
    let rows = try await store.json("/api/tables/Film")["rows"] as? [[String: Any]]
    let id = try #require(rows?.first?["id"] as? String)
    let deletion = #"{"operations":[{"op":"delete","entity":"Film","ids":["\#(id)"]}]}"#
    #expect(try await store.post("/api/edit", deletion).0 == 200)
    #expect(try await store.post("/api/edit/save").0 == 200)
    #expect((try await store.json("/api/tables/Film")["rows"] as? [Any])?.isEmpty == true)
    #expect(try await store.post("/api/edit/undo").0 == 200)
    #expect(try await store.post("/api/edit/save").0 == 200)
    await store.close()
    let other = try OpenedStore.open(store.url.path, model: nil, readOnly: true)
    defer { other.close { Issue.record("\($0)") } }
    try other.context.performAndWait {
      let films = try other.context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Film"))
      #expect(films.map { $0.value(forKey: "look") as? Data } == [made])
    }
  }
}
