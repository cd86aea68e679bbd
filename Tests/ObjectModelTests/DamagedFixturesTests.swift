import FixtureSupport
import Foundation
import Testing

@testable import ObjectModel

@Suite("Damaged files of Apple's tools", .enabled(if: Fixtures.areAvailable, "no fixtures"))
struct DamagedFixturesTests {
  @Test("A model with a few wrong bytes is read or rejected, without a crash")
  func randomDamage() throws {
    let environment = ProcessInfo.processInfo.environment
    let rounds = environment["OPENCOREDATA_ROUNDS"].flatMap(Int.init) ?? 5
    var random = SeededGenerator("damaged models, \(rounds) rounds")
    let sources = FixtureModels.paths(below: "models") {
      $0.hasSuffix("/elements") || $0.hasSuffix("Model 2.xcdatamodel/contents")
    }
    var refused = 0
    var tried = 0
    for path in FixtureModels.compiled + sources {
      let whole = [UInt8](try Data(contentsOf: Fixtures.url(path)))
      let isBinary = whole.starts(with: "bplist".utf8)
      for _ in 0..<rounds {
        var bytes = whole
        for _ in 0..<Int.random(in: 1...6, using: &random) {
          // In XML, bytes other than printable ASCII would mostly end the parsing immediately.
          let byte = UInt8.random(in: isBinary ? 0...255 : 32...126, using: &random)
          bytes[Int.random(in: 0..<bytes.count, using: &random)] = byte
        }
        tried += 1
        let model = NSManagedObjectModel()
        do {
          if isBinary {
            try ArchivedModel.read(Data(bytes), from: nil, into: model)
          } else {
            try ContentsReader.read(Data(bytes), from: nil, into: model)
          }
          model.freeze()
          _ = try model.storeModelCache()
          // A model that was read is written in every format, or rejected, and read again.
          let version = VersionedModel.Version(name: "m", model: model)
          let versions = try VersionedModel(versions: [version])
          let place = URL(fileURLWithPath: "/m")
          for format in ModelFileFormat.allCases {
            guard let files = try? versions.files(as: format, for: place) else { continue }
            for (path, data) in files where !path.hasPrefix(".") && !path.hasSuffix(".plist") {
              let again = NSManagedObjectModel()
              do {
                switch format {
                case .json: _ = try ModelJSON.read(data, from: nil)
                case .xcdatamodel, .xcdatamodeld:
                  try ContentsReader.read(data, from: nil, into: again)
                case .mom, .momd: try ArchivedModel.read(data, from: nil, into: again)
                }
              } catch {
                // A compiled model may break some rules that are errors in a source file.
                #expect(
                  format != .mom && format != .momd && model.isCompiled
                    && model.problems.contains { $0.kind.severity == .error },
                  "\(format) \(path): \(error)")
              }
            }
          }
        } catch {
          refused += 1
        }
      }
    }
    #expect(tried >= 47 * rounds)
    #expect(refused > tried / 4)
    #expect(refused < tried)
  }
}
