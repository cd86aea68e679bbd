import Foundation

enum ModelJSON {
  static func isJSON(_ data: Data) -> Bool { false }
  static func read(_ data: Data, from url: URL?) throws -> ModelJSON {
    throw ModelFileError.malformed(url, "")
  }
  static func data(of model: VersionedModel, for url: URL?) throws -> Data { Data() }
  func load(into model: NSManagedObjectModel) throws {}
}
extension ModelFile {
  static func jsonVersions(_ url: URL) throws -> VersionedModel? { nil }
}
