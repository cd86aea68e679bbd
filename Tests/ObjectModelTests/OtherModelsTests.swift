import Foundation
import Testing

@testable import ObjectModel

/// Runs the fixtures' tests for the models in the folder in `OPENCOREDATA_MODELS`, such as
/// all models of your own programs.
@Suite(
  "Models in a folder of your own",
  .enabled(if: ProcessInfo.processInfo.environment["OPENCOREDATA_MODELS"] != nil))
struct OtherModelsTests {
  private static let root = URL(
    fileURLWithPath: ProcessInfo.processInfo.environment["OPENCOREDATA_MODELS"] ?? "/nowhere")

  private static func models(_ suffixes: [String]) -> [URL] {
    let paths =
      FileManager.default.enumerator(atPath: root.path)?.compactMap { $0 as? String } ?? []
    return paths.filter { path in
      guard let suffix = suffixes.first(where: { path.hasSuffix($0) }) else { return false }
      return suffix != ".xcdatamodel" || !path.contains(".xcdatamodeld/")
    }.sorted().map { root.appendingPathComponent($0) }
  }

  @Test("Sources are read completely, and converted to other formats and back without loss")
  func sources() throws {
    var versions = 0
    for url in Self.models([".xcdatamodeld", ".xcdatamodel"]) {
      do {
        for version in try VersionedModel(contentsOf: url).versions {
          // A default value of a wrong type is an error of the model's author.
          let rest = version.model.unrecognized.filter { !$0.contains(" value '") }
          #expect(rest == [], "\(url.path) \(version.name)")
        }
        let result = try ConversionCheck.throughJSON(url)
        versions += result.versions
        #expect(result.differences == [], "\(url.path)")
        let differences = try ConversionCheck.throughCompiledModel(url)
        #expect(differences == [], "\(url.path)")
      } catch {
        Issue.record("\(url.path): \(error)")
      }
    }
    print("\(versions) versions of source models")
  }

  @Test("Compiled models keep their objects, even through JSON and sources")
  func compiledModels() throws {
    var files = 0
    for url in Self.models([".mom"]) {
      do {
        let theirs = try KeyedArchive(data: Data(contentsOf: url))
        guard theirs.instance(.uid(theirs.root))?.className == "NSManagedObjectModel" else {
          continue
        }
        // Compilers before Mac OS X 10.6 omitted some of what later ones write.
        let isOld = !theirs.objects.contains { object in
          guard case .instance(_, let fields) = object else { return false }
          return fields["NSRenamingIdentifier"] != nil
        }
        files += 1
        let model = try NSManagedObjectModel(validating: url)
        #expect(model.unrecognized == [], "\(url.path)")
        let ours = try KeyedArchive(data: CompiledModel.data(of: model))
        if !isOld { #expect(ArchiveGraph.differences(ours, theirs) == [], "\(url.path)") }
        #expect(try ConversionCheck.compiledThroughJSON(url) == [], "\(url.path)")
        let source = try NSManagedObjectModel(contents: ContentsWriter.write(model))
        let again = try KeyedArchive(data: CompiledModel.data(of: source))
        #expect(ArchiveGraph.differences(again, ours) == [], "\(url.path)")
      } catch {
        Issue.record("\(url.path): \(error)")
      }
    }
    print("\(files) compiled models")
  }
}
