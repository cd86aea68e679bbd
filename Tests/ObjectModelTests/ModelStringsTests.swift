import Foundation
import Testing

@testable import ObjectModel

@Suite("Localized strings are read from a file beside the model") struct ModelStringsTests {
  private func write(_ text: String, to path: String, in folder: URL) throws -> URL {
    let url = folder.appendingPathComponent(path)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    // UTF-16 is the encoding that Xcode used to require.
    try text.write(to: url, atomically: true, encoding: path.hasPrefix("de") ? .utf16 : .utf8)
    return url
  }

  private func withFolder(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("strings-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder)
  }

  @Test("The folder of the best language has precedence over the folder of the model")
  func languages() throws {
    try withFolder { folder in
      let model = folder.appendingPathComponent("Shop.momd")
      #expect(ModelStrings.texts(besideModelAt: model, languages: ["de-AT"]) == nil)
      _ = try write("\"Entity/Item\" = \"Item\";", to: "ShopModel.strings", in: folder)
      #expect(
        ModelStrings.texts(besideModelAt: model, languages: ["de-AT"]) == ["Entity/Item": "Item"])
      _ = try write(
        "/* Wörter */ \"Entity/Item\" = \"Stück\";", to: "de.lproj/ShopModel.strings", in: folder)
      #expect(
        ModelStrings.texts(besideModelAt: model, languages: ["de-AT"]) == ["Entity/Item": "Stück"])
      #expect(
        ModelStrings.texts(besideModelAt: model, languages: ["fr"]) == ["Entity/Item": "Item"])
      let version = model.appendingPathComponent("Shop 2.mom")
      #expect(
        ModelStrings.texts(besideModelAt: version, languages: ["fr", "de"])
          == ["Entity/Item": "Stück"])
    }
  }

  @Test("A model's own strings override those of the file, which a store's copy of the model omits")
  func model() throws {
    try withFolder { folder in
      let contents = try write(
        String(decoding: Samples.contents("<entity name=\"Item\"/>"), as: UTF8.self),
        to: "Shop.xcdatamodeld/Shop.xcdatamodel/contents", in: folder)
      _ = try write(
        "\"Entity/Item\" = \"Thing\"; \"Property/size\" = \"Size\";", to: "ShopModel.strings",
        in: folder)
      let url = contents.deletingLastPathComponent().deletingLastPathComponent()
      let model = try NSManagedObjectModel(validating: url)
      let item = try #require(model.entitiesByName["Item"])
      #expect(model.localizationDictionary?["Entity/Item"] == "Thing")
      #expect(model.localizedName(of: item) == "Thing")
      model.localizationDictionary = ["Entity/Item": "Article"]
      #expect(model.localizedName(of: item) == "Article")
      #expect(model.localizedName(ofProperty: "size", of: item) == "Size")
      let copy = try #require(model.copy() as? NSManagedObjectModel)
      #expect(copy.localizedName(ofProperty: "size", of: item) == "Size")
      model.localizationDictionary = nil
      let read = try NSManagedObjectModel(storeModelCache: model.storeModelCache())
      #expect(read.localizationDictionary == nil)
    }
  }

  @Test func `All versions in a JSON file have the strings of the file beside it`() throws {
    try withFolder { folder in
      _ = try write("\"Entity/Item\" = \"Thing\";", to: "ShopModel.strings", in: folder)
      let url = folder.appendingPathComponent("Shop.json")
      let versions = ["One", "Two"].map {
        VersionedModel.Version(name: $0, model: Samples.staff())
      }
      try VersionedModel(versions: versions).write(to: url)
      for model in try VersionedModel(contentsOf: url).versions.map(\.model) {
        #expect(model.localizationDictionary == ["Entity/Item": "Thing"])
      }
    }
  }

  @Test("A damaged strings file has no strings")
  func damaged() throws {
    try withFolder { folder in
      _ = try write("\"Entity/Item\" = ", to: "ShopModel.strings", in: folder)
      let model = folder.appendingPathComponent("Shop.momd")
      #expect(ModelStrings.texts(besideModelAt: model, languages: []) == nil)
    }
  }
}
