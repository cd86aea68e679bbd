/// The readable form of a model with its versions: one JSON file.
///
/// The documentation's article "Models as JSON" shows it by example.
enum ModelJSON {
  static let format = "OpenCoreData model"
  static let formatVersion = 1

  /// Whether a file's content looks like JSON: no other form of a model starts with a brace.
  static func isJSON(_ data: Data) -> Bool {
    let spaces: Set<UInt8> = [0x20, 0x0A, 0x0D, 0x09]
    return data.prefix(1024).first { !spaces.contains($0) } == UInt8(ascii: "{")
  }

  /// The text of a model.
  ///
  /// - Throws: An `NSError` that names the entity and property of which JSON cannot hold something.
  static func data(of model: VersionedModel, for url: URL? = nil) throws -> Data {
    var root = JSONObject()
    root.add("format", format)
    root.add("formatVersion", .number(formatVersion))
    if model.saysWhichIsCurrent { root.add("currentVersion", model.currentVersionName) }
    root.add(
      "versions", .list(try model.versions.map { try ModelJSONWriter(url: url).version($0) }))
    return Data(root.value.prettyText.utf8)
  }

  /// Reads all versions.
  ///
  /// - Throws: An `NSError` of code 259 that names the line, or the path to what is missing, unknown
  ///   or of the wrong kind; 134060 for a version that contradicts itself.
  static func read(_ data: Data, from url: URL?) throws -> VersionedModel {
    let value: JSONValue
    do {
      value = try JSONReader.read(data)
    } catch let failure as JSONReader.Failure {
      throw ModelFileError.malformed(url, failure.reason)
    }
    var root = try JSONFields(value, path: "", url: url)
    guard try root.requiredText("format") == format else {
      throw root.failure("format", "it is not '\(format)'.")
    }
    guard let version = try root.integer("formatVersion"), version == formatVersion else {
      throw root.failure("formatVersion", "it is not \(formatVersion), the only one known.")
    }
    let current = try root.text("currentVersion")
    let versions = try root.objects("versions").map { fields in
      let model = NSManagedObjectModel()
      let name = try ModelJSONReader(url).read(fields, into: model)
      return VersionedModel.Version(name: name, model: model)
    }
    try root.finish()
    do {
      return try VersionedModel(versions: versions, currentVersionName: current)
    } catch {
      throw ModelFileError.malformed(url, "versions: \(error.localizedDescription)")
    }
  }

  /// Reads the current version into an empty model.
  static func read(_ data: Data, from url: URL?, into model: NSManagedObjectModel) throws {
    model.adopt(try read(data, from: url).currentModel)
  }
}

extension ModelFile {
  /// All versions of a JSON file; nil for a file or folder of another form.
  static func jsonVersions(_ url: URL) throws -> VersionedModel? {
    guard try !isFolder(url) else { return nil }
    let data = try data(of: url)
    return ModelJSON.isJSON(data) ? try ModelJSON.read(data, from: url) : nil
  }
}
