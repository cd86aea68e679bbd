import FixtureSupport
import Foundation
import Testing

@testable import ObjectModel

@Suite("Property lists and archives")
struct ArchiveTests {
  @Test("A property list is read as it was written")
  func roundTrip() throws {
    let value = PropertyListValue.dictionary([
      "truth": .bool(true), "lie": .bool(false), "small": .integer(7), "negative": .integer(-1),
      "large": .integer(.max), "least": .integer(.min), "byte": .integer(255),
      "word": .integer(65535), "real": .real(-2.5), "text": .string("plain"),
      "other": .string("Größe 😀"), "empty": .string(""), "bytes": .data(Data(0...255)),
      "date": .date(Date(timeIntervalSinceReferenceDate: 388_411_200)), "uid": .uid(70_000),
      "list": .array((0..<300).map { .integer($0) }), "none": .array([]),
      "table": .dictionary(["a": .dictionary(["b": .uid(3)])]),
    ])
    let data = BinaryPropertyListWriter.write(value)
    #expect(try BinaryPropertyListReader.read(data) == value)
    #expect(BinaryPropertyListWriter.write(value) == data)
  }

  @Test("Foundation can read the written property lists")
  func foundationReads() throws {
    let value = PropertyListValue.dictionary([
      "number": .integer(-5), "text": .string("é"), "list": .array([.bool(true), .real(1.5)]),
    ])
    let object = try PropertyListSerialization.propertyList(
      from: BinaryPropertyListWriter.write(value), format: nil)
    let table = try #require(object as? [String: Any])
    #expect(table["number"] as? Int == -5)
    #expect(table["text"] as? String == "é")
    #expect((table["list"] as? [Any])?.count == 2)
  }

  /// Returns a binary property list that contains the values in order. The first value is the root.
  /// References are one byte long.
  private func list(_ values: [[UInt8]]) -> Data {
    var data = Data("bplist00".utf8)
    var offsets: [UInt8] = []
    for value in values {
      offsets.append(UInt8(data.count))
      data.append(contentsOf: value)
    }
    let table = UInt8(data.count)
    data.append(contentsOf: offsets + [0, 0, 0, 0, 0, 0, 1, 1])
    data.append(contentsOf: [0, 0, 0, 0, 0, 0, 0, UInt8(values.count)])
    data.append(contentsOf: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, table])
    return data
  }

  @Test("Property lists that crash Foundation's reader are rejected before they reach it")
  func setsAndDates() throws {
    let plain = list([[0xD1, 1, 2], [0x51, 0x61], [0xA1, 3], [0x10, 5]])
    #expect(try CheckedPropertyList.read(plain) as? [String: [Int]] == ["a": [5]])
    let key: [UInt8] = [0x51, 0x61]
    for wrong in [
      list([[0xD1, 1, 2], key, [0xC1, 3], [0x10, 5]]),
      list([[0xD1, 1, 2], key, [0xC1, 3], key]),
      list([[0xD2, 1, 1, 2, 3], key, [0xC1, 3], [0x10, 5]]),
      list([[0xC0]]),
      list([[0xD1, 1, 2], key, [0xB1, 3], [0x10, 5]]),
      list([[0xD1, 1, 2], key, [0x33, 0x7F, 0xF8, 0, 0, 0, 0, 0, 0]]),
    ] {
      #expect(throws: BinaryPropertyListReader.Failure.self) { try CheckedPropertyList.read(wrong) }
    }
    let text = #"<plist version="1.0"><dict><key>a</key><true/></dict></plist>"#
    #expect(try CheckedPropertyList.read(Data(text.utf8)) as? [String: Bool] == ["a": true])
  }

  @Test("An XML dictionary without a key or without a value is rejected")
  func incompleteDictionaries() throws {
    func read(_ members: String) throws -> PropertyListValue {
      try XMLPropertyList.read(
        Data("<plist version=\"1.0\">\n<dict>\(members)</dict></plist>".utf8))
    }
    #expect(
      try read("<key>a</key><true/><key>b</key><string/>")
        == .dictionary(["a": .bool(true), "b": .string("")]))
    for (members, reason) in [
      ("<key>a</key>", "line 2: the key 'a' has no value."),
      ("<key>a</key><true/><key>b</key>", "line 2: the key 'b' has no value."),
      ("<true/>", "line 2: a key is missing."),
    ] {
      let error = #expect(throws: BinaryPropertyListReader.Failure.self) { try read(members) }
      #expect(error?.reason == reason)
    }
  }

  @Test("A list that contains itself is rejected")
  func cycleOfCollections() {
    // One array whose only element is itself.
    var data = Data("bplist00".utf8)
    data.append(contentsOf: [0xA1, 0x00, 8])
    data.append(contentsOf: [0, 0, 0, 0, 0, 0, 1, 1])
    data.append(contentsOf: [0, 0, 0, 0, 0, 0, 0, 1])
    data.append(contentsOf: [0, 0, 0, 0, 0, 0, 0, 0])
    data.append(contentsOf: [0, 0, 0, 0, 0, 0, 0, 10])
    #expect(throws: BinaryPropertyListReader.Failure.self) {
      try BinaryPropertyListReader.read(data)
    }
  }

  @Test("A small list that expands to too many values is rejected")
  func unfolding() {
    // Twenty arrays, each holding the next one 100 times.
    var data = Data("bplist00".utf8)
    var offsets: [UInt8] = []
    var offset16: [Int] = []
    for level in 0..<20 {
      offset16.append(data.count)
      data.append(contentsOf: [0xAF, 0x10, 100])
      data.append(contentsOf: [UInt8](repeating: UInt8(level + 1), count: 100))
    }
    offset16.append(data.count)
    data.append(0x09)
    let table = data.count
    for offset in offset16 { offsets += [UInt8(offset >> 8), UInt8(offset & 255)] }
    data.append(contentsOf: offsets)
    data.append(contentsOf: [0, 0, 0, 0, 0, 0, 2, 1])
    data.append(contentsOf: [0, 0, 0, 0, 0, 0, 0, 21])
    data.append(contentsOf: [0, 0, 0, 0, 0, 0, 0, 0])
    data.append(contentsOf: [0, 0, 0, 0, 0, 0, UInt8(table >> 8), UInt8(table & 255)])
    let error = #expect(throws: BinaryPropertyListReader.Failure.self) {
      try BinaryPropertyListReader.read(data)
    }
    #expect(error?.reason == "it expands to too many values.")
  }

  @Test func `References to one long string or data share its storage`() throws {
    let values: [PropertyListValue] = [
      .string(String(repeating: "a", count: 30_000)),
      .string(String(repeating: "ö", count: 30_000)),
      .data(Data(repeating: 7, count: 30_000)),
    ]
    let written = PropertyListValue.array(values.flatMap { [$0, $0] })
    let data = BinaryPropertyListWriter.write(written)
    #expect(data.count < 130_000)
    let read = try BinaryPropertyListReader.read(data)
    #expect(read == written)
    func address(_ value: PropertyListValue) -> UnsafeRawPointer? {
      switch value {
      case .string(var text): text.withUTF8 { UnsafeRawPointer($0.baseAddress) }
      case .data(let data): data.withUnsafeBytes { $0.baseAddress }
      default: nil
      }
    }
    let addresses = try #require(read.array).map(address)
    for pair in [0, 2, 4] {
      #expect(addresses[pair] != nil && addresses[pair] == addresses[pair + 1])
    }
  }

  @Test("Damaged archives are read or rejected, without a crash")
  func randomDamage() throws {
    var random = SeededGenerator("damaged archives")
    let archive = try ArchivedModelWriter.archive(Samples.staff()).data()
    var refused = 0
    for _ in 0..<2000 {
      var bytes = [UInt8](archive)
      for _ in 0..<Int.random(in: 1...8, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(
          in: 0...255, using: &random)
      }
      if Bool.random(using: &random) {
        bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random))
      }
      do {
        _ = try NSManagedObjectModel(storeModelCache: try Deflate.compress(Data(bytes)))
      } catch {
        refused += 1
      }
    }
    #expect(refused > 1000)
  }

  @Test("Compressing and decompressing returns the same bytes, and respects a limit")
  func deflate() throws {
    let data = Data((0..<100_000).map { UInt8($0 % 7) })
    let packed = try Deflate.compress(data)
    #expect(packed.count < 2000)
    #expect(try Deflate.decompress(packed, limit: 100_000) == data)
    #expect(throws: Deflate.Failure.self) { try Deflate.decompress(packed, limit: 99_999) }
    let nothing = try Deflate.compress(Data())
    #expect(try Deflate.decompress(nothing, limit: 10) == Data())
  }
}
