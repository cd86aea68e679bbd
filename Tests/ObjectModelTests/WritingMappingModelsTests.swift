import FixtureSupport
import Foundation
import Predicates
import Testing

@testable import ObjectModel

/// Compares compiled mapping models with those that Xcode's compiler made.
@Suite struct WritingMappingModelsTests {
  private static let apples = "compiled/CoreDataPlus/SampleModel/Fixtures/V2toV3.cdm"
  private static let source =
    "mappings/CoreDataPlus/SampleModel/MappingModels/V2toV3.xcmappingmodel"

  @Test(
    "A mapping model is written with the same objects that Xcode's compiler writes",
    .enabled(if: Fixtures.areAvailable, "no fixtures"), arguments: [apples, source])
  func sameArchive(_ path: String) throws {
    let mappings = try MappingFile.read(Fixtures.url(path))
    let ours = try CompiledMappingWriter().archive(mappings)
    let theirs = try KeyedArchive(data: Data(contentsOf: Fixtures.url(Self.apples)))
    #expect(ArchiveGraph.differences(ours, theirs) == [])
    let again = try KeyedArchive(data: ours.data())
    #expect(ArchiveGraph.differences(ours, again) == [])
  }

  @Test(
    "Every source mapping model can be compiled, and has the same contents afterwards",
    .enabled(if: Fixtures.areAvailable, "no fixtures"))
  func everySource() throws {
    let folder = Fixtures.url("mappings")
    let names = FileManager.default.enumerator(atPath: folder.path)
    let paths = (names?.compactMap { $0 as? String } ?? []).filter {
      $0.hasSuffix(".xcmappingmodel")
    }
    #expect(paths.count == 15)
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("\(UUID().uuidString).cdm")
    defer { try? FileManager.default.removeItem(at: file) }
    for path in paths {
      let mapping = try NSMappingModel(validating: folder.appendingPathComponent(path))
      try mapping.write(to: file, replacingExisting: true)
      let compiled = try NSMappingModel(validating: file)
      #expect(compiled == mapping, "\(path)")
      for (one, other) in zip(compiled.entityMappings, mapping.entityMappings) {
        #expect(one.userInfo as NSDictionary? == other.userInfo as NSDictionary?)
      }
    }
  }

  @Test("Mappings with every kind of expression are written and read")
  func expressions() throws {
    let formats = [
      "$source.a.b", "FUNCTION($manager, 'f:with:', $source, {1, 'x', nil})",
      "FUNCTION($entityPolicy, 'title:', $source.name)", "uppercase($source.name)",
      "TERNARY($source.a > 3, 'many', 'few')", "'text'", "1.5", "nil", "SELF",
      "SUBQUERY($source.items, $x, $x.n == 1)", "$source.items.@count",
      "FETCH(FUNCTION($manager, 'r:', 'E'), $manager.sourceContext, YES)", "1 + $source.n",
      "TERNARY($manager.userInfo.all == YES, FETCH($a, $b, NO), FETCH($c, $d, YES))",
    ]
    let mapping = NSEntityMapping()
    mapping.name = "M"
    mapping.userInfo = ["key": "value", "number": 2, "names": ["a", "b"] as Set<String>]
    mapping.attributeMappings = formats.map { format in
      let property = NSPropertyMapping()
      property.name = format
      property.valueExpression = NSExpression(format: format)
      return property
    }
    let archive = try KeyedArchive(data: CompiledMappingWriter().archive([mapping]).data())
    let read = try CompiledMappingReader(archive: archive).mappings()
    #expect(read == [mapping])
    #expect(read.first?.userInfo as NSDictionary? == mapping.userInfo as NSDictionary?)
    #expect(read.first?.relationshipMappings == nil)
  }

  @Test("Constants without an exact literal are read as they were written, wherever they are")
  func exactConstants() throws {
    let constants: [Any] = [
      NSDecimalNumber(string: "0.12345678901234567890123456"), UUID(), Data([0, 255]),
      Date(timeIntervalSinceReferenceDate: 1.000_000_000_1), NSNumber(value: Double.infinity),
    ]
    for constant in constants {
      let call = NSExpression(
        forFunction: "noindex:",
        arguments: [NSExpression(forFunction: "noindex:", arguments: [constant])])
      let choice = NSExpression(
        forConditional: try NSPredicate(validating: "$source.n > 1"), trueExpression: call,
        falseExpression: NSExpression(forConstantValue: constant))
      // The receiver and the argument have no literals.
      let message = NSExpression(
        forFunction: NSExpression(forConstantValue: constant), selectorName: "f:",
        arguments: [Data([1])])
      let chosenMessage = NSExpression(
        forConditional: try NSPredicate(validating: "$source.n > 1"), trueExpression: message,
        falseExpression: choice)
      for expression in [call, choice, message, chosenMessage] {
        let property = NSPropertyMapping()
        property.name = "p"
        property.valueExpression = expression
        let mapping = NSEntityMapping()
        mapping.name = "M"
        mapping.attributeMappings = [property]
        let archive = try KeyedArchive(data: CompiledMappingWriter().archive([mapping]).data())
        let read = try CompiledMappingReader(archive: archive).mappings()
        #expect(read == [mapping], "\(expression)")
      }
    }
  }

  @Test("An unknown function in a compiled mapping, or a wrong number of arguments, is an error")
  func invalidCalls() throws {
    let calls: [(name: String, arguments: Int)] = [("frobnicate:", 1), ("add:to:", 1)]
    for (name, count) in calls {
      let property = NSPropertyMapping()
      property.name = "p"
      property.valueExpression = NSExpression(
        node: .function(
          name: name, operand: nil,
          arguments: (0..<count).map { NSExpression(forConstantValue: $0) }))
      let mapping = NSEntityMapping()
      mapping.name = "M"
      mapping.attributeMappings = [property]
      let archive = try KeyedArchive(data: CompiledMappingWriter().archive([mapping]).data())
      #expect(throws: (any Error).self, "\(name)") {
        try CompiledMappingReader(archive: archive).mappings()
      }
    }
  }

  @Test("A mapping that cannot be stored is named, and nothing is written")
  func refused() throws {
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("\(UUID().uuidString).cdm")
    let property = NSPropertyMapping()
    property.name = "size"
    property.valueExpression = NSExpression(block: { _, _, _ in 1 }, arguments: nil)
    let mapping = NSEntityMapping()
    mapping.name = "BoxToBox"
    mapping.attributeMappings = [property]
    let model = NSMappingModel()
    model.entityMappings = [mapping]
    func message() -> String {
      do {
        try model.write(to: file)
        return ""
      } catch { return error.localizedDescription }
    }
    #expect(
      message().hasPrefix(
        "The mapping model \(file.path) cannot be written: mapping 'BoxToBox', property 'size': "))
    mapping.attributeMappings = []
    mapping.userInfo = ["thread": Thread.current]
    #expect(message().contains("mapping 'BoxToBox': a value of the type"))
    #expect(!FileManager.default.fileExists(atPath: file.path))
    try Data().write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    mapping.userInfo = nil
    #expect(throws: (any Error).self) { try model.write(to: file) }
    try model.write(to: file, replacingExisting: true)
    #expect(NSMappingModel(contentsOf: file) == model)
  }
}
