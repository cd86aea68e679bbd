import CoreData
import Testing

/// Apple's Core Data puts values of more than about 100 KB into files (public reports).
@Suite("Values that may be kept outside a store", .onEveryStore)
struct ExternalValueTests {
  @Test(
    "Values of every size are saved, changed and removed; a replaced large value leaves no file"
  )
  func sizes() throws {
    let model = SampleStack.makeModel()
    let portrait = SampleStack.attribute("portrait", .binaryDataAttributeType)
    portrait.allowsExternalBinaryDataStorage = true
    model.entitiesByName["Player"]?.properties.append(portrait)
    let stack = try SampleStack(model: model)
    let sizes = [0, 1, 99_000, 130_000, 300_000]
    try stack.context.performAndWait {
      for size in sizes {
        let data = Data.pattern(size)
        stack.context.insert("Player", ["number": size, "portrait": data])
      }
      stack.context.insert("Player", ["number": -1])
      try stack.context.save()
    }
    let again = try stack.reopened()
    try again.context.performAndWait {
      let players = try again.context.all("Player", "portrait != nil", sort: ["number"])
      #expect(players.map { ($0["portrait"] as Data?)?.count } == sizes)
      #expect((players.last?["portrait"] as Data?)?.last == UInt8(truncatingIfNeeded: 299_999))
      players[4].setValue(Data([7]), forKey: "portrait")
      players[3].setValue(nil, forKey: "portrait")
      try again.context.save()
    }
    let last = try again.reopened().context
    try last.performAndWait {
      let players = try last.all("Player", sort: ["number"])
      #expect(players.map { ($0["portrait"] as Data?)?.count } == [nil, 0, 1, 99_000, nil, 1])
    }
    guard let folder = StoreScope.current.folder else { return }
    let files = try FileManager.default.subpathsOfDirectory(atPath: folder.url.path)
      .filter { $0.contains("_EXTERNAL_DATA/") }
    // Only the value of 300,000 bytes was in a file, and a small one has replaced it.
    #expect(files == [])
  }
}
