import CoreData
import Testing

/// Names that sources for Apple's platforms have from elsewhere; this file imports what they do.
@Suite("Names that come with Apple's platforms")
struct AmbientNamesTests {
  @Test("an autorelease pool gives what its block gives, and throws what it throws")
  func autoreleasePool() throws {
    #expect(autoreleasepool { 1 + 1 } == 2)
    #expect(throws: CocoaError.self) { try autoreleasepool { throw CocoaError(.coreData) } }
    let sum: Int = autoreleasepool {
      let half = 20
      return half + half
    }
    #expect(sum == 40)
  }

  @Test("places have rows and items")
  func places() {
    let row = IndexPath(row: 3, section: 1)
    #expect(row == IndexPath(item: 3, section: 1))
    #expect((row.section, row.row, row.item) == (1, 3, 3))
  }

  @Test("resources come as URLs to whoever wants these, and as Foundation gives them")
  func resources() throws {
    let folder = try TemporaryFolder()
    try Data().write(to: folder.url.appendingPathComponent("a.momd"))
    let bundle = try #require(Bundle(url: folder.url))
    let urls: [URL]? = bundle.urls(forResourcesWithExtension: "momd", subdirectory: nil)
    #expect(urls?.map(\.lastPathComponent) == ["a.momd"])
    let others = bundle.urls(forResourcesWithExtension: "momd", subdirectory: nil)
    #expect(others?.count == 1)
    let named: [URL]? = Bundle.urls(
      forResourcesWithExtension: "momd", subdirectory: nil, in: folder.url)
    #expect(named?.map(\.lastPathComponent) == ["a.momd"])
  }

  @Test("signatures of key-value observing and of errors by reference have their types")
  func signatures() {
    func observe(
      _ options: NSKeyValueObservingOptions, _ change: [NSKeyValueChangeKey: Any]?,
      _ error: NSErrorPointer
    ) -> Int { (change?[.newKey] as? Int ?? 0) + Int(options.rawValue) }
    #expect(observe([.new, .old], [.newKey: 1, .kindKey: NSKeyValueChange.setting], nil) == 4)
    #expect(Selector("compare:").description == "compare:")
  }
}
