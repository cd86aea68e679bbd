import FixtureSupport
import Foundation
import Testing

@testable import CoreDataTool
@testable import StoreInspection

struct ModelHashesCommandTests {
  @Test func `Each line is an entity name, a tab and 64 digits, ordered by the bytes of the names`()
    throws
  {
    let models = try TemporaryModel()
    let body = #"<entity name="b"/><entity name="Z"/><entity name="a"/>"#
    let path = try models.write("Three", versions: [("Three", body)])
    let run = ToolRun.coredata("model", "hashes", path)
    #expect(run.code == 0)
    #expect(run.errors == "")
    let lines = run.output.split(separator: "\n").map { $0.split(separator: "\t") }
    #expect(lines.map { $0[0] } == ["Z", "a", "b"])
    #expect(
      lines.allSatisfy { $0.count == 2 && $0[1].count == 64 && $0[1].allSatisfy(\.isHexDigit) })
  }

  @Test func `A store and the compiled model made from it have the same hashes`() throws {
    let stores = try TemporaryStore()
    let store = stores.sample(rows: 10)
    let ofStore = ToolRun.coredata("model", "hashes", store)
    #expect(ofStore.output.hasPrefix("Customer\tb649d41eed583cf75607d2a2cf01f697b5cdc6bd"))
    let compiled = stores.path("Contacts.momd")
    #expect(ToolRun.coredata("model", "convert", store, compiled).code == 0)
    #expect(ToolRun.coredata("model", "hashes", compiled).output == ofStore.output)
  }

  @Test(.enabled(if: Fixtures.areAvailable, "no fixtures"))
  func `The hashes of Apple's compiled models equal the hashes that Apple stored with them`() throws
  {
    for name in [
      "SwiftGen/SwiftGen.playground/Model", "CoreDataPlus/SampleModel/Fixtures/SampleModel",
    ] {
      let folder = Fixtures.url("compiled/\(name).momd")
      let info = try PropertyListSerialization.propertyList(
        from: Data(contentsOf: folder.appendingPathComponent("VersionInfo.plist")), format: nil)
      let table = try #require(info as? [String: Any])
      let versions = try #require(
        table["NSManagedObjectModel_VersionHashes"] as? [String: [String: Data]])
      for (version, hashes) in versions {
        let run = ToolRun.coredata("model", "hashes", folder.path, "--version", version)
        let expected = hashes.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
          .map {
            "\($0.key)\t\($0.value.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined())\n"
          }
        #expect(run.output == expected.joined(), "\(version)")
      }
    }
  }
}
