import Foundation
import ObjectModel

/// Finds out what form a mapping model's file has, and reads it.
enum MappingFile {
  /// The mappings that a file holds.
  ///
  /// - Throws: an error of `NSCocoaErrorDomain` that names the file.
  static func read(_ url: URL) throws -> [NSEntityMapping] {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) else {
      throw failure(url, "it is not there", code: CocoaError.fileReadNoSuchFile.rawValue)
    }
    let file = isFolder.boolValue ? url.appendingPathComponent("xcmapping.xml") : url
    guard FileManager.default.fileExists(atPath: file.path) else {
      throw failure(url, "it is a folder without xcmapping.xml")
    }
    do {
      let data = try ModelFile.data(of: file)
      if data.starts(with: Data("bplist".utf8)) || data.isXMLPropertyList {
        return try CompiledMappingReader(archive: KeyedArchive(data: data)).mappings()
      }
      return try XcodeMappingReader(data, from: file).mappings()
    } catch {
      throw failure(url, reason(error))
    }
  }

  /// An error about a mapping model's file.
  static func failure(
    _ url: URL, _ reason: String, code: Int = CocoaError.fileReadCorruptFile.rawValue
  ) -> NSError {
    CoreDataError.make(
      code, "The mapping model \(url.path) cannot be read: \(reason)",
      [NSFilePathErrorKey: url.path])
  }

  private static func reason(_ error: any Error) -> String {
    switch error {
    case let failure as BinaryPropertyListReader.Failure: failure.reason
    case let failure as MappingFailure: failure.reason
    default: (error as NSError).localizedDescription
    }
  }
}

/// What is wrong with the content of a mapping model's file.
struct MappingFailure: Error {
  let reason: String
}

extension Data {
  /// Whether a keyed archive may begin like this. Xcode's files have a property list too, further inside.
  fileprivate var isXMLPropertyList: Bool {
    let head = String(decoding: prefix(512), as: UTF8.self)
    return head.contains("<plist") && !head.contains("<database")
  }
}
