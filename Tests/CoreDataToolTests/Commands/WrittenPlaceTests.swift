import Foundation
import Testing

@testable import CoreDataTool
@testable import StoreInspection

/// Links, pipes and devices at the place where a command writes. Their targets stay unchanged.
struct WrittenPlaceTests {
  private let temporary: TemporaryStore
  private let store: String

  init() throws {
    temporary = try TemporaryStore()
    store = temporary.sample(rows: 10)
  }

  private func makeFolder(_ name: String) throws -> String {
    let path = temporary.path(name)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    return path
  }

  private func write(_ text: String, to path: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
  }

  private func link(_ path: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
  }

  private func text(_ path: String) throws -> String {
    try String(contentsOfFile: path, encoding: .utf8)
  }

  private func target(ofLink path: String) -> String? {
    try? FileManager.default.destinationOfSymbolicLink(atPath: path)
  }

  private func names(in folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
  }

  /// All names beside the store, without the temporary files of SQLite.
  private func namesBesideStore() throws -> [String] {
    try names(in: temporary.folder.path).filter { !$0.hasPrefix("Contacts.") }
  }

  private func convert(_ output: String, _ options: String...) -> ToolRun {
    ToolRun.coredata(["model", "convert", store, output, "--force"] + options)
  }

  @Test func `A link in place of a version of a model is refused`() throws {
    let mine = try makeFolder("Mine.xcdatamodel")
    try write("precious", to: mine + "/contents")
    let model = try makeFolder("M.xcdatamodeld")
    let version = model + "/M.xcdatamodel"
    try link(version, to: "../Mine.xcdatamodel")
    let before = try namesBesideStore()
    for options in [[], ["--follow-links"]] {
      let run = ToolRun.coredata(["model", "convert", store, model, "--force"] + options)
      #expect(run.code == 65, "\(run)")
      #expect(run.errors.contains("M.xcdatamodel is a symbolic link, not a folder"), "\(run)")
    }
    #expect(try text(mine + "/contents") == "precious")
    #expect(target(ofLink: version) == "../Mine.xcdatamodel")
    #expect(try namesBesideStore() == before)
    // A pipe or a file of that name is not a folder either.
    try FileManager.default.removeItem(atPath: version)
    #expect(mkfifo(version, 0o600) == 0)
    let piped = convert(model)
    #expect(piped.code == 65 && piped.errors.contains("FIFO), not a folder"), "\(piped)")
  }

  @Test func `Replacing a model removes links to other versions and keeps other links`()
    throws
  {
    let mine = try makeFolder("Mine.xcdatamodel")
    try write("precious", to: mine + "/contents")
    let model = try makeFolder("M.xcdatamodeld")
    try link(model + "/Old.xcdatamodel", to: "../Mine.xcdatamodel")
    try link(model + "/root", to: "/")
    try link(model + "/self", to: ".")
    try link(model + "/.xccurrentversion", to: "../Mine.xcdatamodel/contents")
    let version = try makeFolder("M.xcdatamodeld/M.xcdatamodel")
    try link(version + "/contents", to: "../../Mine.xcdatamodel/contents")
    let run = convert(model)
    #expect(run.code == 0, "\(run)")
    #expect(try text(mine + "/contents") == "precious")
    let left = try names(in: model).filter { $0 != ".xccurrentversion" }
    #expect(left == ["M.xcdatamodel", "root", "self"])
    #expect(target(ofLink: model + "/root") == "/" && target(ofLink: model + "/self") == ".")
    #expect(target(ofLink: model + "/.xccurrentversion") == nil)
    #expect(target(ofLink: version + "/contents") == nil)
    #expect(ToolRun.coredata("model", "diff", store, model).output == "The models are the same.\n")
  }

  @Test(.timeLimit(.minutes(60)), arguments: ["xcdatamodeld", "xcdatamodel"])
  func `A pipe or a device in a replaced model is refused, and no draft is left`(
    _ form: String
  ) throws {
    let model = try makeFolder("M.\(form)")
    _ = try makeFolder("M.\(form)/notes")
    let before = try namesBesideStore()
    let other = model + "/notes/other"
    #expect(mkfifo(other, 0o600) == 0)
    let piped = convert(model)
    #expect(piped.code == 65, "\(piped)")
    #expect(piped.errors.contains("other is a named pipe (FIFO), not a plain file"), "\(piped)")
    #expect(try names(in: model) == ["notes"])
    try FileManager.default.removeItem(atPath: other)
    // Only the superuser creates devices. This one is /dev/zero.
    if mknod(other, S_IFCHR | 0o600, 0x0105) == 0 {
      let run = convert(model)
      #expect(run.code == 65 && run.errors.contains("other is a device"), "\(run)")
      #expect(try names(in: model) == ["notes"])
      try FileManager.default.removeItem(atPath: other)
    }
    #expect(try namesBesideStore() == before)
    // A pipe among the files that are not kept does no harm.
    let old = form == "xcdatamodeld" ? try makeFolder("M.\(form)/Old.xcdatamodel") : model
    #expect(mkfifo(old + "/contents", 0o600) == 0)
    #expect(convert(model).code == 0)
    #expect(try namesBesideStore() == before)
  }

  @Test(.timeLimit(.minutes(60)))
  func `A pipe is never replaced`() throws {
    for name in ["M.json", "M.mom", "M.svg", "M.sqlite"] {
      let pipe = temporary.path(name)
      #expect(mkfifo(pipe, 0o600) == 0)
      let run =
        switch URL(fileURLWithPath: name).pathExtension {
        case "svg": ToolRun.coredata("model", "diagram", store, "--output", pipe, "--force")
        case "sqlite": ToolRun.coredata("copy", store, pipe, "--replace")
        default: convert(pipe)
        }
      #expect(run.code == 64, "\(run)")
      #expect(run.errors.contains("is a named pipe (FIFO); nothing was written"), "\(run)")
      let kind = try FileManager.default.attributesOfItem(atPath: pipe)[.type] as? FileAttributeType
      #expect(kind != .typeRegular)
    }
  }

  @Test(arguments: ["", "/", "/."])
  func `A copy to a link to a folder is refused without --follow-links`(_ end: String) throws {
    let folder = try makeFolder("private")
    let inner = folder + "/Contacts.sqlite"
    #expect(ToolRun.coredata("sample", inner, "--rows", "100").code == 0)
    let before = try Data(contentsOf: URL(fileURLWithPath: inner))
    let files = try names(in: folder)
    let place = temporary.path("out.sqlite")
    try link(place, to: "private")
    for options in [[], ["--replace"]] {
      let run = ToolRun.coredata(["copy", store, place + end] + options)
      #expect(run.code == 64, "\(run)")
      #expect(run.errors.contains("is a symbolic link to 'private'; nothing was written"), "\(run)")
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: inner)) == before)
    #expect(try names(in: folder) == files)
    let followed = ToolRun.coredata("copy", store, place + end, "--replace", "--follow-links")
    #expect(followed.code == 0, "\(followed)")
    #expect(try Data(contentsOf: URL(fileURLWithPath: inner)) != before)
    #expect(target(ofLink: place) == "private")
  }

  @Test func `A copy does not replace a store that has another hard link`() throws {
    let folder = try makeFolder("elsewhere")
    let inner = folder + "/V.sqlite"
    #expect(ToolRun.coredata("sample", inner, "--rows", "20").code == 0)
    let (place, own) = (temporary.path("H.sqlite"), temporary.path("P.sqlite"))
    try FileManager.default.linkItem(atPath: inner, toPath: place)
    try FileManager.default.linkItem(atPath: store, toPath: own)
    let before = try [inner, store].map { try Data(contentsOf: URL(fileURLWithPath: $0)) }
    for options in [[], ["--follow-links"]] {
      let run = ToolRun.coredata(["copy", store, place, "--replace"] + options)
      #expect(run.code != 0 && run.errors.contains("has 2 names (hard links)"), "\(run)")
      let same = ToolRun.coredata(["copy", store, own, "--replace"] + options)
      #expect(same.code != 0 && same.errors.contains("cannot replace itself"), "\(same)")
    }
    #expect(try [inner, store].map { try Data(contentsOf: URL(fileURLWithPath: $0)) } == before)
  }

  @Test func `A link is followed as the system resolves it`() throws {
    // The path to the link leads through another link, and the target is relative to its parent
    // folder.
    _ = try makeFolder("deep/inner")
    try link(temporary.path("short"), to: "deep/inner")
    try link(temporary.path("deep/inner/M.xcdatamodeld"), to: "../Real.xcdatamodeld/")
    let real = try makeFolder("deep/Real.xcdatamodeld")
    let run = convert(temporary.path("short/M.xcdatamodeld"), "--follow-links")
    #expect(run.code == 0, "\(run)")
    #expect(try names(in: real).contains("Real.xcdatamodel"))
    #expect(target(ofLink: temporary.path("deep/inner/M.xcdatamodeld")) == "../Real.xcdatamodeld/")
    #expect(try names(in: temporary.path("deep")) == ["Real.xcdatamodeld", "inner"])
  }
}
