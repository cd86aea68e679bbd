import FixtureSupport
import Foundation
import Predicates
import Testing

@testable import ObjectModel

/// Converts models between their forms.
enum Conversions {
  /// Calls the body with a new temporary folder, and removes the folder afterwards.
  static func inFolder<Result>(_ body: (URL) throws -> Result) throws -> Result {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("models-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder)
  }

  /// Returns the files in a folder and in the folders below it, by path.
  static func files(in folder: URL) throws -> [String: Data] {
    var files: [String: Data] = [:]
    for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
      let url = folder.appendingPathComponent(path)
      guard try !ModelFile.isFolder(url) else { continue }
      files[path] = try Data(contentsOf: url)
    }
    return files
  }

  /// Returns a copy of a model that has only what a compiled model can contain.
  ///
  /// It leaves out the diagram, the header, whether and how classes are generated, scalar and sync
  /// settings, marks for Spotlight and for external records, values as they were typed, the names
  /// and declarations of composites, the spelling of predicates, a renaming identifier that equals
  /// the name, the CloudKit mark of configurations, and the order of entities and properties.
  static func withoutEditorsPart(_ model: NSManagedObjectModel) throws -> NSManagedObjectModel {
    guard let copy = model.copy() as? NSManagedObjectModel else { return model }
    copy.document = nil
    copy.composites = []
    copy.compiler = nil
    for place in copy.configurationTable.indices {
      copy.configurationTable[place].isUsedWithCloudKit = false
      copy.configurationTable[place].entityNames.sort { $0.isBefore($1) }
    }
    copy.configurationTable.sort { $0.name.isBefore($1.name) }
    for (name, template) in copy.fetchRequestTemplates {
      copy.fetchRequestTemplates[name]?.predicateFormat = spelling(of: template.predicateFormat)
    }
    copy.entities.sort { ($0.name ?? "").isBefore($1.name ?? "") }
    for entity in copy.entities {
      entity.codeGenerationType = nil
      if entity.explicitRenamingIdentifier == entity.name {
        entity.explicitRenamingIdentifier = nil
      }
      entity.isSyncable = nil
      entity.ownProperties.sort { $0.name.isBefore($1.name) }
      entity.ownProperties.forEach(removeEditorsPart)
    }
    return copy
  }

  /// Returns a predicate's canonical text: `a = YES` and `a == 1` are equal.
  private static func spelling(of text: String?) -> String? {
    text.map { (try? NSPredicate(validating: $0))?.formatText ?? $0 }
  }

  private static func removeEditorsPart(from property: NSPropertyDescription) {
    property.isSyncable = nil
    if property.explicitRenamingIdentifier == property.name {
      property.explicitRenamingIdentifier = nil
    }
    property.isIndexedBySpotlight = false
    property.isStoredInExternalRecord = false
    let fetched = property as? NSFetchedPropertyDescription
    fetched?.fetchTemplate?.predicateFormat = spelling(of: fetched?.fetchTemplate?.predicateFormat)
    let attribute = property as? NSAttributeDescription
    attribute?.usesScalarValueType = nil
    attribute?.editorTexts = EditorTexts()
    let composite = attribute as? NSCompositeAttributeDescription
    composite?.compositeName = nil
    composite?.elements.forEach(removeEditorsPart)
  }

  /// Returns a model's JSON with only what a compiled model can contain.
  static func essence(_ model: NSManagedObjectModel) throws -> String {
    let version = VersionedModel.Version(name: "m", model: try withoutEditorsPart(model))
    let data = try ModelJSON.data(of: try VersionedModel(versions: [version]))
    return String(decoding: data, as: UTF8.self)
  }

  /// Returns at most eight lines that are in only one of two strings.
  static func differences(_ one: String, _ other: String) -> [String] {
    other.split(separator: "\n").difference(from: one.split(separator: "\n")).prefix(8).map {
      switch $0 {
      case .remove(let line, let text, _): "-\(line): \(text)"
      case .insert(let line, let text, _): "+\(line): \(text)"
      }
    }
  }
}

@Suite("Converting models")
struct ConvertingModelsTests {
  /// All source models, each with its versions.
  static let sources = FixtureModels.paths(below: "models") { path in
    // The fixtures have only the pointer file of this model.
    path.hasSuffix(".xcdatamodeld") && !path.hasSuffix("RestKitCoreData.xcdatamodeld")
      || path.hasSuffix(".xcdatamodel") && !path.contains(".xcdatamodeld/")
  }

  @Test(
    "Converting a source to JSON and back returns the same files, byte for byte",
    .enabled(if: Fixtures.areAvailable, "no fixtures"))
  func sourceThroughJSON() throws {
    var versions = 0
    for path in Self.sources {
      let url = Fixtures.url(path)
      let result = try ConversionCheck.throughJSON(url)
      versions += result.versions
      #expect(result.differences == [], "\(path)")
    }
    #expect(versions == 170)
  }

  @Test(
    "Converting a source to a compiled model and back keeps what compiled models contain",
    .enabled(if: Fixtures.areAvailable, "no fixtures"))
  func sourceThroughCompiledModel() throws {
    for path in Self.sources {
      let differences = try ConversionCheck.throughCompiledModel(Fixtures.url(path))
      #expect(differences == [], "\(path)")
    }
  }

  @Test(
    "Converting a compiled model to JSON and back returns the same objects",
    .enabled(if: Fixtures.areAvailable, "no fixtures"))
  func compiledModelThroughJSON() throws {
    for path in FixtureModels.compiled {
      let differences = try ConversionCheck.compiledThroughJSON(Fixtures.url(path))
      #expect(differences == [], "\(path)")
    }
  }
}

/// Each method converts a model to another form and back, and returns the differences.
enum ConversionCheck {
  static func throughJSON(_ url: URL) throws -> (versions: Int, differences: [String]) {
    let model = try VersionedModel(contentsOf: url)
    return try Conversions.inFolder { folder in
      let json = folder.appendingPathComponent("model.json")
      let source = folder.appendingPathComponent(url.lastPathComponent)
      try model.write(to: json)
      try VersionedModel(contentsOf: json).write(to: source)
      var theirs = try Conversions.files(in: url)
      var ours = try Conversions.files(in: source)
      // A file of Xcode 3 becomes one in the current form, with the same model.
      for path in theirs.keys where path.hasSuffix("elements") || path.hasSuffix("layout") {
        theirs[path] = nil
        ours[path.dropLast(path.hasSuffix("layout") ? 6 : 8) + "contents"] = nil
      }
      // An empty pointer file means the same as a missing one. One pointer file was written by hand, with spaces.
      if let pointer = theirs[ModelFile.currentVersionPointer] {
        let text = String(decoding: pointer, as: UTF8.self)
        theirs[ModelFile.currentVersionPointer] =
          text.contains("<dict/>")
          ? nil : Data(text.replacing("    <", with: "\t<").utf8)
      }
      let differences = Set(theirs.keys).union(ours.keys).sorted().filter { theirs[$0] != ours[$0] }
      let again = try VersionedModel(contentsOf: source)
      let essences = try zip(model.versions, again.versions).flatMap {
        Conversions.differences(
          try Conversions.essence($0.model), try Conversions.essence($1.model))
      }
      return (model.versions.count, differences + essences)
    }
  }

  static func throughCompiledModel(_ url: URL) throws -> [String] {
    let model = try VersionedModel(contentsOf: url)
    return try Conversions.inFolder { folder in
      let compiled = folder.appendingPathComponent("model.momd")
      let source = folder.appendingPathComponent("model.xcdatamodeld")
      try model.write(to: compiled)
      try VersionedModel(contentsOf: compiled).write(to: source)
      let again = try VersionedModel(contentsOf: source)
      var differences: [String] = []
      if again.currentVersionName != model.currentVersionName {
        differences.append("current version \(again.currentVersionName)")
      }
      for version in model.versions {
        guard let twin = again.versions.first(where: { $0.name == version.name })?.model else {
          differences.append("no version \(version.name)")
          continue
        }
        if twin.entityVersionHashesByName != version.model.entityVersionHashesByName {
          differences.append("hashes of \(version.name)")
        }
        differences += Conversions.differences(
          try Conversions.essence(version.model), try Conversions.essence(twin))
      }
      return differences
    }
  }

  static func compiledThroughJSON(_ url: URL) throws -> [String] {
    let model = try VersionedModel(contentsOf: url)
    return try Conversions.inFolder { folder in
      let json = folder.appendingPathComponent("model.json")
      try model.write(to: json)
      let again = try VersionedModel(contentsOf: json)
      return ArchiveGraph.differences(
        try KeyedArchive(data: CompiledModel.data(of: model.currentModel)),
        try KeyedArchive(data: CompiledModel.data(of: again.currentModel)))
    }
  }
}
