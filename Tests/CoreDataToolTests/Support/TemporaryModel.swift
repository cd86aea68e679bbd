import Foundation

/// Source models for a test, in a folder that is removed after the test.
final class TemporaryModel {
  let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// Returns a path in the folder.
  func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

  /// Writes a model with versions and returns its path. Each version is the text between the tags
  /// of the root element.
  func write(
    _ name: String = "Staff", versions: [(name: String, body: String)], current: String? = nil
  ) throws -> String {
    let place = folder.appendingPathComponent("\(name).xcdatamodeld")
    for version in versions {
      let directory = place.appendingPathComponent("\(version.name).xcdatamodel")
      try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
      try Self.contents(version.body).write(to: directory.appendingPathComponent("contents"))
    }
    if let current {
      let pointer = try PropertyListSerialization.data(
        fromPropertyList: ["_XCCurrentVersionName": "\(current).xcdatamodel"], format: .xml,
        options: 0)
      try pointer.write(to: place.appendingPathComponent(".xccurrentversion"))
    }
    return place.path
  }

  /// Writes the three models below as versions of one model, with these names, and returns its
  /// path.
  func writeStaff(_ first: String, _ second: String, _ third: String, current: String) throws
    -> String
  {
    try write(
      versions: [(first, Self.first), (second, Self.second), (third, Self.third)], current: current)
  }

  private static func contents(_ body: String) -> Data {
    Data(
      """
      <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
      <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
      \(body)
      </model>
      """.utf8)
  }

  /// Person with a name and an age, and Team.
  static let first = """
    <entity name="Person" representedClassName="Person" syncable="YES">
      <attribute name="age" optional="YES" attributeType="Integer 16" defaultValueString="0"/>
      <attribute name="name" attributeType="String" minValueString="1"/>
      <relationship name="team" optional="YES" maxCount="1" deletionRule="Nullify" \
    destinationEntity="Team" inverseName="members" inverseEntity="Team"/>
    </entity>
    <entity name="Team" isAbstract="YES">
      <relationship name="members" optional="YES" toMany="YES" deletionRule="Deny" \
    destinationEntity="Person" inverseName="team" inverseEntity="Person"/>
    </entity>
    """

  /// The next version: one attribute renamed, one added, a wider number, another delete rule.
  static let second =
    first
    .replacing(
      #"name="age" optional="YES" attributeType="Integer 16""#,
      with: #"name="age" optional="YES" attributeType="Integer 32""#
    )
    .replacing(
      #"name="name" attributeType"#,
      with: #"name="fullName" elementID="name" attributeType"#
    )
    .replacing(
      "</entity>\n<entity name=\"Team\"",
      with: """
        <attribute name="email" optional="YES" attributeType="String"/>
        </entity>
        <entity name="Team"
        """
    )
    .replacing(#"deletionRule="Deny""#, with: #"deletionRule="Cascade""#)

  /// The version after that: a required attribute without a default value.
  static let third = second.replacing(
    #"name="email" optional="YES""#, with: #"name="email""#)
}
