package import Foundation

/// Finds out what form a mapping model's file has, and reads it; writes the compiled form.
package enum MappingFile {
  /// The mappings that a file holds.
  ///
  /// - Parameter notice: is told what is unusual in the file and keeps nobody from using it.
  /// - Throws: an error of `NSCocoaErrorDomain` that names the file.
  package static func read(
    _ url: URL, notice: (String) -> Void = { _ in }
  ) throws -> [NSEntityMapping] {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) else {
      throw unreadable(url, "it is not there", code: CocoaError.fileReadNoSuchFile.rawValue)
    }
    let file = isFolder.boolValue ? url.appendingPathComponent("xcmapping.xml") : url
    guard FileManager.default.fileExists(atPath: file.path) else {
      throw unreadable(url, "it is a folder without xcmapping.xml")
    }
    do {
      let data = try ModelFile.data(of: file)
      if data.starts(with: Data("bplist".utf8)) || data.isXMLPropertyList {
        return try CompiledMappingReader(archive: KeyedArchive(data: data)).mappings()
      }
      let reader = try XcodeMappingReader(data, from: file)
      reader.notices.forEach(notice)
      return try reader.mappings()
    } catch {
      throw unreadable(url, reason(error))
    }
  }

  /// Writes mappings as Xcode's compiler does.
  ///
  /// - Throws: an error of `NSCocoaErrorDomain` that names the file, and the mapping and property that
  ///   cannot be kept in a file.
  static func write(
    _ mappings: [NSEntityMapping], to url: URL, replacingExisting: Bool
  ) throws {
    let data: Data
    do {
      data = try CompiledMappingWriter().archive(mappings).data()
    } catch {
      throw failure(
        url, "The mapping model \(url.path) cannot be written: \(reason(error))",
        code: CocoaError.fileWriteUnknown.rawValue)
    }
    try WholeFiles.write(data, to: url, replacingExisting: replacingExisting)
  }

  private static func unreadable(
    _ url: URL, _ reason: String, code: Int = CocoaError.fileReadCorruptFile.rawValue
  ) -> NSError {
    failure(url, "The mapping model \(url.path) cannot be read: \(reason)", code: code)
  }

  private static func failure(_ url: URL, _ text: String, code: Int) -> NSError {
    NSError(
      domain: NSCocoaErrorDomain, code: code,
      userInfo: [NSLocalizedDescriptionKey: text, NSFilePathErrorKey: url.path])
  }

  /// Why something about a mapping model fails, without the name of the file.
  static func reason(_ error: any Error) -> String {
    switch error {
    case let failure as ArchivedPredicate.Failure: failure.reason
    case let failure as BinaryPropertyListReader.Failure: failure.reason
    case let failure as MappingFailure: failure.reason
    default: (error as NSError).localizedFailureReason ?? error.localizedDescription
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
