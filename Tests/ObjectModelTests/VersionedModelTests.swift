import FixtureSupport
import Foundation
import Testing

@testable import ObjectModel

@Suite("Models with versions as files")
struct VersionedModelTests {
  private func version(_ name: String, _ entity: String) -> VersionedModel.Version {
    let model = NSManagedObjectModel()
    let description = NSEntityDescription()
    description.name = entity
    model.entities = [description]
    return VersionedModel.Version(name: name, model: model)
  }

  private func sample() throws -> VersionedModel {
    try VersionedModel(
      versions: [version("One", "A"), version("Two", "B")], currentVersionName: "Two")
  }

  @Test(
    "The extension selects the file format, and every reader finds the current version",
    arguments: ModelFileFormat.allCases)
  func everyFormat(format: ModelFileFormat) throws {
    try Conversions.inFolder { folder in
      let url = folder.appendingPathComponent("Model.\(format.rawValue)")
      try sample().write(to: url)
      let model = try #require(NSManagedObjectModel(contentsOf: url))
      #expect(model.entities.map(\.name) == ["B"])
      let again = try VersionedModel(contentsOf: url)
      #expect(again.versions.map(\.name) == (format.keepsVersions ? ["One", "Two"] : ["Model"]))
      #expect(again.currentVersionName == (format.keepsVersions ? "Two" : "Model"))
      #expect(again.currentModel.entities.map(\.name) == ["B"])
      let checksums = Dictionary(
        uniqueKeysWithValues: again.versions.map { ($0.name, $0.model.versionChecksum) })
      #expect(Set(checksums.values).count == again.versions.count)
      #expect(try NSManagedObjectModel.checksumsForVersionedModel(at: url) == checksums)
      let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      #expect(left == ["Model.\(format.rawValue)"])
    }
  }

  @Test(
    "An existing file is replaced only on request, and then completely",
    arguments: ModelFileFormat.allCases)
  func replacing(format: ModelFileFormat) throws {
    try Conversions.inFolder { folder in
      let url = folder.appendingPathComponent("Model.\(format.rawValue)")
      try sample().write(to: url)
      let other = try VersionedModel(versions: [version("Three", "C")])
      let error = #expect(throws: NSError.self) { try other.write(to: url) }
      #expect(error?.code == 516)
      #expect(error?.localizedDescription.contains(url.path) == true)
      #expect(try VersionedModel(contentsOf: url).currentModel.entities.map(\.name) == ["B"])
      try other.write(to: url, replacingExisting: true)
      let again = try VersionedModel(contentsOf: url)
      #expect(again.versions.count == 1)
      #expect(again.currentModel.entities.map(\.name) == ["C"])
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 1)
    }
  }

  @Test(
    "Replacing a source keeps other files in its folder, and replacing a compiled model does not")
  func bystanders() throws {
    try Conversions.inFolder { folder in
      let source = folder.appendingPathComponent("M.xcdatamodeld")
      try sample().write(to: source)
      for path in ["notes.txt", "Two.xcdatamodel/layout", "Two.xcdatamodel/extra"] {
        try Data("x".utf8).write(to: source.appendingPathComponent(path))
      }
      let two = try VersionedModel(versions: [version("Two", "C")], currentVersionName: "Two")
      try two.write(to: source, replacingExisting: true)
      #expect(
        try Conversions.files(in: source).keys.sorted() == [
          ".xccurrentversion", "Two.xcdatamodel/contents", "Two.xcdatamodel/extra", "notes.txt",
        ])
      let compiled = folder.appendingPathComponent("M.momd")
      try sample().write(to: compiled)
      try Data("momv2$".utf8).write(to: compiled.appendingPathComponent("Two.omo"))
      try two.write(to: compiled, replacingExisting: true)
      #expect(
        try Conversions.files(in: compiled).keys.sorted() == ["Two.mom", "VersionInfo.plist"])
    }
  }

  @Test("A failed write keeps the old file, and the error states the file and the reason")
  func refusals() throws {
    try Conversions.inFolder { folder in
      func refusal(_ name: String, _ model: VersionedModel) -> (code: Int, text: String)? {
        let url = folder.appendingPathComponent(name)
        let error = #expect(throws: NSError.self) {
          try model.write(to: url, replacingExisting: true)
        }
        return error.map { ($0.code, $0.localizedDescription) }
      }
      let unknown = refusal("Model.sqlite", try sample())
      #expect(unknown?.code == 514)
      #expect(unknown?.text.contains("Model.sqlite") == true)
      let nowhere = refusal("absent/Model.json", try sample())
      #expect(nowhere?.code == 512)
      let bad = version("One", "A")
      let attribute = Samples.attribute("x", .transformableAttributeType)
      attribute.defaultValue = NSObject()
      bad.model.entities[0].properties = [attribute]
      for format in ModelFileFormat.allCases {
        let name = "Model.\(format.rawValue)"
        try sample().write(to: folder.appendingPathComponent(name))
        let cannot = refusal(name, try VersionedModel(versions: [bad]))
        #expect(cannot?.code == 134060)
        #expect(cannot?.text.contains("entity 'A', property 'x'") == true)
        let url = folder.appendingPathComponent(name)
        #expect(try VersionedModel(contentsOf: url).currentModel.entities.map(\.name) == ["B"])
      }
      // A folder is not replaced with a file, whatever its name.
      let trap = folder.appendingPathComponent("trap.json")
      try FileManager.default.createDirectory(at: trap, withIntermediateDirectories: false)
      #expect(refusal("trap.json", try sample())?.code == 516)
    }
  }

  @Test(
    "An unreadable file that states the current version is reported with the reason",
    arguments: [
      (ModelFileFormat.xcdatamodeld, ".xccurrentversion"), (.momd, "VersionInfo.plist"),
    ])
  func unreadableCurrentVersion(format: ModelFileFormat, name: String) throws {
    try Conversions.inFolder { folder in
      let url = folder.appendingPathComponent("Model.\(format.rawValue)")
      try sample().write(to: url)
      let pointer = url.appendingPathComponent(name)
      func reason() -> String? {
        let error = #expect(throws: NSError.self) { try VersionedModel(contentsOf: url) }
        #expect(error?.localizedDescription.contains(pointer.path) == true)
        return error?.localizedFailureReason
      }
      try FileManager.default.removeItem(at: pointer)
      try FileManager.default.createDirectory(at: pointer, withIntermediateDirectories: false)
      #expect(reason() == "it is a folder, not a plain file.")
      try FileManager.default.removeItem(at: pointer)
      try Data("no list".utf8).write(to: pointer)
      #expect(reason() == "it is not a property list.")
    }
  }

  @Test(
    "A default value that a program sets replaces one of an unknown class in every format",
    arguments: ModelFileFormat.allCases)
  func replacedArchivedDefault(format: ModelFileFormat) throws {
    try Conversions.inFolder { folder in
      let attribute = Samples.attribute("title", .stringAttributeType)
      attribute.archivedDefaultValue = KeyedArchive(
        objects: [.value(.string("$null")), .instance(classNames: ["Cover"], fields: [:])], root: 1)
      let made = version("One", "Book")
      made.model.entities[0].properties = [attribute]
      attribute.defaultValue = "New"
      #expect(attribute.archivedDefaultValue == nil)
      let url = folder.appendingPathComponent("Model.\(format.rawValue)")
      try VersionedModel(versions: [made]).write(to: url)
      let read = try VersionedModel(contentsOf: url).currentModel
      let title = try #require(read.entities[0].attributesByName["title"])
      #expect(title.defaultValue as? String == "New")
      #expect(title.archivedDefaultValue == nil)
      let plain = version("One", "Book")
      plain.model.entities[0].properties = [Samples.attribute("title", .stringAttributeType)]
      plain.model.entities[0].attributesByName["title"]?.defaultValue = "New"
      #expect(ModelComparison(from: plain.model, to: made.model).lines == [])
    }
  }

  @Test("Version names are valid file names and unique, and one of them is current")
  func names() throws {
    func refusal(_ names: [String], _ current: String? = nil) -> String? {
      let versions = names.map { version($0, "A") }
      let error = #expect(throws: NSError.self) {
        try VersionedModel(versions: versions, currentVersionName: current)
      }
      return error?.localizedDescription
    }
    #expect(refusal([]) == "The model: it has no version.")
    #expect(refusal(["a", "a"]) == "The model: the version 'a' occurs twice.")
    #expect(refusal(["../a"]) == "The model: the version name '../a' is not a valid file name.")
    #expect(
      refusal(["a"], "b") == "The model: its current version 'b' is not among its versions.")
  }

  @Test(
    "The VersionInfo.plist of a compiled model has the values that Xcode writes",
    .enabled(if: Fixtures.areAvailable, "no fixtures"),
    arguments: [
      (
        "models/SwiftGen/TestUtils/Fixtures/CoreData/Model.xcdatamodeld",
        "compiled/SwiftGen/SwiftGen.playground/Model.momd", "Model 2"
      ),
      (
        "models/CoreDataPlus/SampleModel/SampleModel.xcdatamodeld",
        "compiled/CoreDataPlus/SampleModel/Fixtures/SampleModel.momd", "SampleModel"
      ),
    ])
  func versionInfo(source: String, compiled: String, current: String) throws {
    try Conversions.inFolder { folder in
      let url = folder.appendingPathComponent("Model.momd")
      let model = try VersionedModel(contentsOf: Fixtures.url(source))
      try VersionedModel(versions: model.versions, currentVersionName: current).write(to: url)
      func table(_ folder: URL) throws -> NSDictionary {
        let data = try Data(contentsOf: folder.appendingPathComponent("VersionInfo.plist"))
        let value = try PropertyListSerialization.propertyList(from: data, format: nil)
        return try #require(value as? NSDictionary)
      }
      let theirs = try table(Fixtures.url(compiled))
      let ours = try table(url)
      for key in ["CurrentVersionName", "VersionHashes"] {
        let name = "NSManagedObjectModel_\(key)"
        #expect(ours[name] as? NSObject == theirs[name] as? NSObject, "\(name)")
      }
      // Xcode writes checksums since version 15, and these models were compiled earlier.
      let checksums = try #require(
        ours["NSManagedObjectModel_VersionChecksums"] as? [String: String])
      #expect(
        checksums
          == Dictionary(
            uniqueKeysWithValues: model.versions.map { ($0.name, $0.model.versionChecksum) }))
      #expect(ours.count == theirs.count + 1)
      let files = try Conversions.files(in: Fixtures.url(compiled)).keys
        .filter { !$0.hasSuffix(".omo") }
      #expect(try Conversions.files(in: url).keys.sorted() == files.sorted())
    }
  }

  @Test("A bundle's compiled models are found, and an older version by a store's metadata")
  func bundles() throws {
    try Conversions.inFolder { folder in
      try sample().write(to: folder.appendingPathComponent("Model.momd"))
      try VersionedModel(versions: [version("Other", "C")])
        .write(to: folder.appendingPathComponent("Other.mom"))
      let bundle = try #require(Bundle(path: folder.path))
      let merged = try #require(NSManagedObjectModel.mergedModel(from: [bundle]))
      #expect(merged.entities.compactMap(\.name).sorted() == ["B", "C"])
      let old = version("One", "A").model.entityVersionHashesByName
      let found = NSManagedObjectModel.mergedModel(
        from: [bundle], forStoreMetadata: ["NSStoreModelVersionHashes": old])
      #expect(found?.entities.map(\.name) == ["A"])
    }
  }

  @Test("Writing a changed model keeps the rest of the source's text")
  func changedSource() throws {
    try Conversions.inFolder { folder in
      let url = folder.appendingPathComponent("Model.xcdatamodel")
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
      let file = url.appendingPathComponent("contents")
      try Samples.contents("<!-- kept --><entity name=\"A\" future=\"1\"/>").write(to: file)
      let model = try NSManagedObjectModel(validating: url)
      model.entities[0].name = "B"
      try model.write(to: url, replacingExisting: true)
      let text = try String(contentsOf: file, encoding: .utf8)
      #expect(text.contains("<!-- kept --><entity name=\"B\" future=\"1\"/>"))
    }
  }
}
