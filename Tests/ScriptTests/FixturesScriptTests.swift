import Foundation
import Testing

/// Runs `scripts/fixtures` with lists whose addresses are files of a temporary folder.
@Suite(
  .enabled(if: ScriptRun.findsProgram("curl"), "scripts/fixtures downloads with curl"))
struct FixturesScriptTests {
  private let work: WorkFolder
  /// SHA-256 of "one\n" and of "two\n", as `sha256sum` prints them.
  private let one = "2c8b08da5ce60398e1f19af0e5dccc744df274b826abe585eaba68c525434806"
  private let two = "27dd8ed44a83ff94d557f9fd0412ed5a8cbca69ea04922d88c01184a07300a5a"

  init() throws {
    work = try WorkFolder()
    try work.write("one\n", to: "origin/one file")
    try work.write("two\n", to: "origin/two")
  }

  /// Returns the address of a file in the folder of origins.
  private func address(_ name: String) -> String {
    work.url.appendingPathComponent("origin/\(name)").absoluteString
  }

  /// Runs the script with a list of these entries: kind, path, hash, origin, model.
  private func fixtures(_ entries: [[String]], _ arguments: [String] = []) throws -> ScriptRun {
    let lines = ["# A comment."] + entries.map { $0.joined(separator: "\t") }
    try work.write(lines.joined(separator: "\n") + "\n", to: "list")
    return try ScriptRun(
      "fixtures", ["--from", work.path("list")] + arguments + [work.path("fixtures")])
  }

  private var entries: [[String]] {
    [
      ["store", "stores/A/one.sqlite", one, address("one file"), "models/A.xcdatamodel"],
      ["model", "models/A.xcdatamodel/contents", two, address("two"), "-"],
    ]
  }

  @Test func `Missing files are fetched, with the tables that tests read`() throws {
    let run = try fixtures(entries)
    #expect(run.status == 0, "\(run.output)")
    #expect(run.output.hasSuffix(": 0 present, 4 fetched, 0 unavailable, 0 with a wrong hash\n"))
    #expect(try work.text("fixtures/stores/A/one.sqlite") == "one\n")
    #expect(try work.text("fixtures/models/A.xcdatamodel/contents") == "two\n")
    #expect(
      try work.text("fixtures/INDEX.tsv") == """
        kind\tfile
        store\tstores/A/one.sqlite
        model\tmodels/A.xcdatamodel/contents

        """)
    #expect(
      try work.text("fixtures/MATCH.tsv") == """
        store\tmodels whose version hashes match
        stores/A/one.sqlite\tmodels/A.xcdatamodel

        """)
  }

  @Test func `A second run fetches nothing`() throws {
    #expect(try fixtures(entries).status == 0)
    try FileManager.default.removeItem(at: work.url.appendingPathComponent("origin"))
    let run = try fixtures(entries)
    #expect(run.status == 0, "\(run.output)")
    #expect(run.output.hasSuffix(": 4 present, 0 fetched, 0 unavailable, 0 with a wrong hash\n"))
  }

  @Test func `A file with a wrong hash is refused and leaves nothing`() throws {
    let run = try fixtures([["store", "stores/A/one.sqlite", one, address("two"), "-"]])
    #expect(run.status == 1)
    #expect(run.output.contains("not kept, because its hash differs from the list: stores/A/one"))
    #expect(run.output.contains(" 0 fetched, 2 unavailable, 1 with a wrong hash\n"))
    #expect(try work.files(in: "fixtures") == [])
  }

  @Test func `An unavailable file does not prevent the others, but the tables are not written`()
    throws
  {
    let run = try fixtures([["-", "stores/B", one, address("none"), "-"]] + entries)
    #expect(run.status == 1)
    #expect(run.output.contains("unavailable: stores/B, from file:///"))
    #expect(run.output.contains(" 2 fetched, 3 unavailable, 0 with a wrong hash\n"))
    #expect(
      try work.files(in: "fixtures") == [
        "models", "models/A.xcdatamodel", "models/A.xcdatamodel/contents", "stores", "stores/A",
        "stores/A/one.sqlite",
      ])
  }

  @Test func `If one address is unavailable or has a wrong file, the next one is used`() throws {
    let addresses = ["none", "two", "one file"].map(address).joined(separator: " ")
    let run = try fixtures([["-", "stores/B", one, addresses, "-"]])
    #expect(run.status == 0, "\(run.output)")
    #expect(try work.text("fixtures/stores/B") == "one\n")
  }

  @Test func `An existing file that differs is reported and stays as it is`() throws {
    try work.write("my store\n", to: "fixtures/stores/A/one.sqlite")
    for arguments in [["--check"], []] {
      let run = try fixtures(entries, arguments)
      #expect(run.status == 1)
      #expect(run.output.contains("delete it to get it again: stores/A/one.sqlite"))
      #expect(try work.text("fixtures/stores/A/one.sqlite") == "my store\n")
    }
  }

  @Test func `A check reports what is missing and fetches nothing`() throws {
    let run = try fixtures(entries, ["--check"])
    #expect(run.status == 1)
    #expect(run.output.contains("missing: stores/A/one.sqlite\n"))
    #expect(run.output.hasSuffix(": 0 present, 0 fetched, 4 missing, 0 with a wrong hash\n"))
    #expect(!FileManager.default.fileExists(atPath: work.path("fixtures")))
  }

  @Test func `A model is extracted from the mapping model that contains it`() throws {
    // The base64 of "one\n".
    let mapping = """
      <object><attribute name="name" type="string">B</attribute>
      <attribute name="sourcemodeldata" type="binary">b25l
      Cg==
      </attribute></object>

      """
    try work.write(mapping, to: "origin/mapping")
    let hash = "756d4926e02d2370957be60c8474bef7ee67594359cfe52b25930a3d4abc0da6"
    let run = try fixtures([
      ["compiled(embedded)", "compiled/B.mom", one, "sourcemodeldata of mappings/B b.xml", "-"],
      ["xcmappingmodel", "mappings/B b.xml", hash, address("mapping"), "-"],
    ])
    #expect(run.status == 0, "\(run.output)")
    #expect(try work.text("fixtures/compiled/B.mom") == "one\n")
  }

  @Test func `Files without a public address are counted and do not count as missing`() throws {
    let run = try fixtures(entries + [["-", "predicates/formats.tsv", two, "-", "-"]])
    #expect(run.status == 0, "\(run.output)")
    #expect(run.output.hasSuffix("files without a public address, whose tests are skipped: 1\n"))
  }

  @Test func `A folder inside the repository is refused`() throws {
    for path in ["", "/.build/fixtures", "/scripts/../Tests"] {
      let run = try ScriptRun("fixtures", [ScriptRun.repository.path + path])
      #expect(run.status == 64)
      #expect(run.output.contains("is inside the repository"))
    }
  }

  @Test func `A path outside the folder is refused`() throws {
    for path in ["/tmp/store", "../store", "stores/../../store"] {
      let run = try fixtures([["-", path, one, address("one file"), "-"]])
      #expect(run.status == 1)
      #expect(run.output.contains("invalid line, with the path '\(path)'"))
    }
    #expect(!FileManager.default.fileExists(atPath: work.path("store")))
  }

  @Test func `Every test that needs fixtures has the reason that scripts/test counts`() throws {
    let tests = ScriptRun.repository.appendingPathComponent("Tests")
    let names = try #require(FileManager.default.enumerator(atPath: tests.path))
    let trait = "if: Fixtures.areAvailable"
    var count = 0
    for case let name as String in names where name.hasSuffix(".swift") {
      let file = tests.appendingPathComponent(name)
      for piece in try String(contentsOf: file, encoding: .utf8).components(separatedBy: trait)
        .dropFirst() where !name.hasPrefix("ScriptTests/")
      {
        count += 1
        #expect(piece.hasPrefix(", \"no fixtures\")"), "\(name)")
      }
    }
    #expect(count > 50)
  }

  @Test func `Every line of the project's list has a path, a hash and an origin`() throws {
    let list = ScriptRun.repository.appendingPathComponent("scripts/fixtures.list")
    let lines = try String(contentsOf: list, encoding: .utf8).split(separator: "\n")
      .filter { !$0.hasPrefix("#") }
    #expect(lines.count == 347)
    var paths: Set<String> = []
    for line in lines {
      let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      try #require(fields.count == 5, "\(line)")
      #expect(paths.insert(fields[1]).inserted, "\(line)")
      #expect(fields[2].count == 64 && fields[2].allSatisfy(\.isHexDigit), "\(line)")
      let commit = /https:\/\/raw\.githubusercontent\.com\/[^\/ ]+\/[^\/ ]+\/[0-9a-f]{40}\/[^ ]+/
      let isAddress = fields[3].wholeMatch(of: commit) != nil
      let isPart = fields[3].wholeMatch(of: /(source|destination)modeldata of mappings\/.+/) != nil
      #expect(isAddress || isPart || fields[3] == "-", "\(line)")
    }
  }
}
