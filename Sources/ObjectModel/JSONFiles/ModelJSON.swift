/// The JSON format of a model with its versions, in one file.
///
/// The article "Models as JSON" describes it with an example.
enum ModelJSON {
  static let format = "OpenCoreData model"
  static let formatVersion = 1

  /// Returns whether a file's content looks like JSON. No other format of a model starts with a brace.
  static func isJSON(_ data: Data) -> Bool {
    let spaces: Set<UInt8> = [0x20, 0x0A, 0x0D, 0x09]
    return data.prefix(1024).first { !spaces.contains($0) } == UInt8(ascii: "{")
  }

  /// Returns the JSON of a model.
  ///
  /// - Throws: An `NSError` that identifies the entity and property if JSON cannot represent a value.
  static func data(of model: VersionedModel, for url: URL? = nil) throws -> Data {
    var root = JSONObject()
    root.add("format", format)
    root.add("formatVersion", .number(formatVersion))
    if model.statesCurrentVersion { root.add("currentVersion", model.currentVersionName) }
    root.add(
      "versions", .list(try model.versions.map { try ModelJSONWriter(url: url).version($0) }))
    return Data(root.value.prettyText.utf8)
  }

  /// Reads all versions.
  ///
  /// - Throws: An `NSError` with code 259 and the line if the text is not JSON; with code 259 and the path if a member
  ///   is missing, unknown or invalid; with code 134060 if a version contradicts itself.
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
    // Read the version before the other keys, because a later version of the format may have
    // different keys.
    guard let version = try root.integer("formatVersion"), version == formatVersion else {
      throw root.failure("formatVersion", "it is not \(formatVersion), the only supported version.")
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
  /// Returns all versions in a JSON file; nil for a file or folder of another format.
  static func jsonVersions(_ url: URL) throws -> VersionedModel? {
    guard try !isFolder(url) else { return nil }
    let data = try data(of: url)
    guard ModelJSON.isJSON(data) else { return nil }
    let model = try ModelJSON.read(data, from: url)
    // Read the strings file, as `NSManagedObjectModel.init(validating:)` does. All versions share it.
    let texts = ModelStrings.texts(besideModelAt: url)
    for version in model.versions { version.model.stringsFileTexts = texts }
    return model
  }
}
