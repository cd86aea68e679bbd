/// Reads mapping models in all formats, and writes compiled ones.
package enum MappingFile {
  /// Returns the mappings in a file.
  ///
  /// - Parameter notice: Called with a description of each irregularity that does not prevent using the file.
  /// - Throws: An error of `NSCocoaErrorDomain` that identifies the file.
  package static func read(
    _ url: URL, notice: (String) -> Void = { _ in }
  ) throws -> [NSEntityMapping] {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) else {
      throw unreadable(url, "it does not exist", code: CocoaError.fileReadNoSuchFile.rawValue)
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
      throw unreadable(url, reason(error), ends: (error as? MappingFailure)?.ends)
    }
  }

  private static let endsKey = "OpenCoreDataMappedEntities"

  /// Returns the mappings that an error of ``read(_:notice:)`` contains, with only their source and destination
  /// entities; nil if the error contains none.
  package static func ends(of error: any Error) -> [NSEntityMapping]? {
    (error as NSError).userInfo[endsKey] as? [NSEntityMapping]
  }

  /// Writes mappings in the format of Xcode's compiler.
  ///
  /// - Throws: The errors of ``NSMappingModel/write(to:replacingExisting:)``.
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
    _ url: URL, _ reason: String, code: Int = CocoaError.fileReadCorruptFile.rawValue,
    ends: [NSEntityMapping]? = nil
  ) -> NSError {
    failure(url, "The mapping model \(url.path) cannot be read: \(reason)", code: code, ends)
  }

  private static func failure(
    _ url: URL, _ text: String, code: Int, _ ends: [NSEntityMapping]? = nil
  ) -> NSError {
    var info: [String: Any] = [NSLocalizedDescriptionKey: text, NSFilePathErrorKey: url.path]
    // With the entities, a migration that looks for a mapping can tell whether the damaged file is
    // the one it needs.
    info[endsKey] = ends
    return NSError(domain: NSCocoaErrorDomain, code: code, userInfo: info)
  }

  /// Returns the reason for an error about a mapping model, without the name of the file.
  static func reason(_ error: any Error) -> String {
    switch error {
    case let failure as ArchivedPredicate.Failure: failure.reason
    case let failure as BinaryPropertyListReader.Failure: failure.reason
    case let failure as MappingFailure: failure.reason
    default: (error as NSError).localizedFailureReason ?? error.localizedDescription
    }
  }
}

/// An error in the content of a mapping model's file.
struct MappingFailure: Error {
  let reason: String
  /// Mappings with only the source and destination entities, if these could be read.
  var ends: [NSEntityMapping]?

  /// Runs `body` and adds the source and destination entities of the mappings to its errors.
  static func naming(_ ends: [NSEntityMapping], _ body: () throws -> Void) throws {
    do { try body() } catch {
      throw MappingFailure(reason: MappingFile.reason(error), ends: ends)
    }
  }
}

extension Data {
  /// Whether the data may be a keyed archive in XML. Xcode's files contain a property list too, but not at the root.
  fileprivate var isXMLPropertyList: Bool {
    let head = String(decoding: prefix(512), as: UTF8.self)
    return head.contains("<plist") && !head.contains("<database")
  }
}
