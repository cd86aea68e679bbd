import Foundation

/// Reads a model's source as Xcode 3 wrote it: a keyed archive of the editor's own objects.
final class ElementsReader {
  let archive: KeyedArchive
  let url: URL?

  init(archive: KeyedArchive, url: URL?) {
    self.archive = archive
    self.url = url
  }

  func read(_ root: KeyedArchive.Instance, into model: NSManagedObjectModel) throws {
    throw ModelFileError.malformed(url, "to come")
  }
}
