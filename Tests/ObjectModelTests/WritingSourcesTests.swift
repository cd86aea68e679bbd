import FixtureSupport
import Foundation
import Testing

@testable import ObjectModel

@Suite("Writing source models")
struct WritingSourcesTests {
  /// Details that `ContentsWriter.writePlain` does not reproduce, each with the number of files that contain it. They
  /// have no effect on the model, so only the original text preserves them.
  private static let onlyInText = [
    "a line end after the root element": 4, "an empty 'valueTransformerName'": 1,
    "flags of a fetch request that go without saying": 4,
  ]

  @Test(
    "A file is written as it was read, byte for byte",
    .enabled(if: Fixtures.areAvailable, "no fixtures"))
  func nothingChanges() throws {
    var files = 0
    var reasons: [String: Int] = [:]
    for path in FixtureModels.sources {
      let url = Fixtures.url(path).appendingPathComponent("contents")
      guard let data = try? Data(contentsOf: url) else { continue }
      files += 1
      let model = try NSManagedObjectModel(validating: url)
      #expect(try ContentsWriter.write(model) == data, "\(path)")
      // Nearly all files are the same even if they are written without the original text.
      let text = String(decoding: data, as: UTF8.self)
      let plain = String(decoding: try ContentsWriter.writePlain(model), as: UTF8.self)
      guard text != plain else { continue }
      let reason =
        text == plain + "\n"
        ? "a line end after the root element"
        : text.replacing(" valueTransformerName=\"\"", with: "") == plain
          ? "an empty 'valueTransformerName'"
          : "flags of a fetch request that go without saying"
      reasons[reason, default: 0] += 1
      let lines = Set(text.split(separator: "\n")).subtracting(plain.split(separator: "\n"))
      if reason.hasPrefix("flags") {
        #expect(lines.allSatisfy { $0.contains("<fetchRequest ") }, "\(path)")
      }
    }
    #expect(files == 166)
    #expect(reasons == Self.onlyInText)
  }

  private let text = """
    <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
    <!-- ours -->
    <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" \
    userDefinedModelVersionIdentifier="" unknown='1'>
        <entity name="A"   representedClassName="A" syncable="YES">
            <!-- the key -->
            <attribute name="x" attributeType="Integer 16" defaultValueString="007"
                       later="&lt;'&gt;"/>
            <attribute name="y" optional="YES" attributeType="String"><novelty depth="3"/></attribute>
            <relationship name="r" optional="YES" maxCount="1" deletionRule="Nullify" \
    destinationEntity="A"/>
            <userInfo>
                <entry key="b" value="2"/>
                <entry key="a" value="1"/>
            </userInfo>
        </entity>
        <entity name="B"/>
        <future/>
    </model>

    """

  private func model() throws -> NSManagedObjectModel {
    try NSManagedObjectModel(contents: Data(text.utf8))
  }

  /// Returns the removed and the added lines, without white space at their ends.
  private func change(
    _ edit: (NSManagedObjectModel) throws -> Void
  ) throws -> (gone: [String], new: [String]) {
    let model = try model()
    try edit(model)
    let after = String(decoding: try ContentsWriter.write(model), as: UTF8.self)
    let lines = [text, after].map { $0.split(separator: "\n", omittingEmptySubsequences: false) }
    var result: (gone: [String], new: [String]) = ([], [])
    for change in lines[1].difference(from: lines[0]) {
      switch change {
      case .remove(_, let line, _): result.gone.append(line.trimmingCharacters(in: .whitespaces))
      case .insert(_, let line, _): result.new.append(line.trimmingCharacters(in: .whitespaces))
      }
    }
    return result
  }

  @Test("Unchanged parts keep their text, including comments and unknown elements")
  func unknownThingsStay() throws {
    let change = try change { _ in }
    #expect(change == ([], []))
  }

  @Test("Changing one attribute changes one line")
  func oneLine() throws {
    let renamed = try change { $0.entities[0].ownProperties[1].name = "z" }
    #expect(
      renamed.new == [
        #"<attribute name="z" optional="YES" attributeType="String"><novelty depth="3"/></attribute>"#
      ])
    #expect(renamed.gone.count == 1)
    let required = try change { $0.entities[0].ownProperties[1].isOptional = false }
    #expect(
      required.new == [
        #"<attribute name="y" attributeType="String"><novelty depth="3"/></attribute>"#
      ])
    let value = try change {
      ($0.entities[0].ownProperties[0] as? NSAttributeDescription)?.defaultValue = NSNumber(
        value: 8)
    }
    #expect(
      value.new == [#"<attribute name="x" attributeType="Integer 16" defaultValueString="8""#])
    let added = try change { $0.entities[0].isAbstract = true }
    #expect(
      added.new == [
        #"<entity name="A"   representedClassName="A" isAbstract="YES" syncable="YES">"#
      ])
  }

  @Test("Added and removed elements have lines of their own")
  func comingAndGoing() throws {
    let added = try change {
      let attribute = Samples.attribute("w", .dateAttributeType)
      $0.entities[0].ownProperties.insert(attribute, at: 1)
    }
    #expect(added.new == [#"<attribute name="w" optional="YES" attributeType="Date"/>"#])
    #expect(added.gone == [])
    let entity = try change {
      let entity = NSEntityDescription()
      entity.name = "C"
      $0.entities.append(entity)
    }
    #expect(entity.new == [#"<entity name="C"/>"#])
    #expect(entity.gone == [])
    let removed = try change { $0.entities[0].ownProperties.removeFirst() }
    #expect(removed.new == [])
    #expect(
      removed.gone == [
        #"later="&lt;'&gt;"/>"#,
        #"<attribute name="x" attributeType="Integer 16" defaultValueString="007""#,
      ])
    let filled = try change {
      $0.entities[1].ownProperties = [Samples.attribute("n", .stringAttributeType)]
    }
    #expect(
      filled.new == [
        #"<entity name="B">"#, #"<attribute name="n" optional="YES" attributeType="String"/>"#,
        "</entity>",
      ])
    let info = try change { $0.entities[0].userInfo = ["b": "2", "a": "1", "c": "\"&\n"] }
    #expect(info.new == [#"<entry key="c" value="&quot;&amp;&#10;"/>"#])
    let order = try change { $0.entities.reverse() }
    #expect(order.gone == [#"<entity name="B"/>"#])
    #expect(order.new == [#"<entity name="B"/>"#])
  }

  @Test("A value that a source cannot contain is rejected with its location")
  func refusals() throws {
    func refusal(_ edit: (NSManagedObjectModel) -> Void) -> String? {
      let error = #expect(throws: NSError.self) {
        let model = try self.model()
        edit(model)
        _ = try ContentsWriter.write(model)
      }
      return error?.localizedDescription
    }
    #expect(
      refusal { $0.entities[0].userInfo = ["n": 1] }
        == "The model, entity 'A': a source model cannot represent the user info under 'n', "
        + "which is not a string.")
    #expect(
      refusal {
        $0.entities[0].ownProperties[1].validationRules = [
          ValidationRule(.format("length > 1"), warning: .message("too short"))
        ]
      }
        == "The model, entity 'A', property 'y': a source model cannot represent the message of the "
        + "rule 'length > 1'.")
    let never = Date(timeIntervalSinceReferenceDate: .infinity)
    for (bound, text) in [
      (ValidationRule.Bound.real(.nan), #"CAST("nan", "NSNumber")"#),
      (.decimal(.nan), #"CAST("nan", "NSNumber")"#),
      (.date(never), #"CAST(CAST("inf", "NSNumber"), "NSDate")"#),
    ] {
      #expect(
        refusal { $0.entities[0].ownProperties[1].validationRules = [.init(.minimum(bound))] }
          == "The model, entity 'A', property 'y': a source model cannot represent the rule "
          + "'SELF >= \(text)'.")
    }
    #expect(
      refusal {
        ($0.entities[0].ownProperties[0] as? NSAttributeDescription)?.defaultValue = "eight"
      }
        == "The model, entity 'A', property 'x': a source model cannot represent the default value "
        + "'eight', which does not fit the type Integer 16.")
    let defaults: [(NSAttributeType, Any)] = [
      (.doubleAttributeType, NSNumber(value: Double.nan)),
      (.floatAttributeType, NSNumber(value: Double.nan)),
      (.decimalAttributeType, NSDecimalNumber.notANumber), (.dateAttributeType, never),
      (.dateAttributeType, Date(timeIntervalSinceReferenceDate: .nan)),
    ]
    for (type, value) in defaults {
      let message = refusal {
        let attribute = Samples.attribute("z", type)
        attribute.defaultValue = value
        $0.entities[0].ownProperties.append(attribute)
      }
      #expect(
        message?.hasPrefix(
          "The model, entity 'A', property 'z': a source model cannot represent the default value '"
        ) == true && message?.contains("does not fit") == false, "\(message ?? "")")
    }
    #expect(
      refusal { $0.entities[1].versionHashModifier = "\u{1}" }
        == "The model: 'versionHashModifier' of <entity> 'B' contains a control character, "
        + "which XML cannot represent.")
  }

  @Test("A model made in code is written in Xcode's current format")
  func builtInCode() throws {
    let data = try ContentsWriter.write(Samples.staff())
    #expect(
      String(decoding: data, as: UTF8.self) == """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" \
        lastSavedToolsVersion="24512" systemVersion="25B78" minimumToolsVersion="Automatic" \
        sourceLanguage="Swift">
            <entity name="Person">
                <attribute name="name" attributeType="String"/>
                <attribute name="age" optional="YES" attributeType="Integer 16"/>
                <relationship name="team" optional="YES" maxCount="1" deletionRule="Nullify" \
        destinationEntity="Team" inverseName="members" inverseEntity="Team"/>
            </entity>
            <entity name="Employee" parentEntity="Person">
                <attribute name="salary" optional="YES" attributeType="Decimal"/>
            </entity>
            <entity name="Team">
                <attribute name="title" optional="YES" attributeType="String"/>
                <relationship name="members" optional="YES" toMany="YES" deletionRule="Nullify" \
        ordered="YES" destinationEntity="Person" inverseName="team" inverseEntity="Person"/>
            </entity>
        </model>
        """)
    let model = try NSManagedObjectModel(contents: data)
    #expect(model.entityVersionHashesByName == Samples.staff().entityVersionHashesByName)
  }
}
