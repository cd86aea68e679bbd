import CoreData
import Foundation
import Testing

@testable import CoreDataTool
@testable import ObjectModel
@testable import StoreInspection

/// Stores, files and folders from untrusted sources.
struct HostileInputTests {
  private let temporary: TemporaryStore
  private let name = "01234567-89AB-CDEF-0123-456789ABCDEF"

  init() throws { temporary = try TemporaryStore() }

  /// A store of films with a poster that may be in an external file, and with a transformable
  /// value.
  private func films() throws -> String {
    let film = NSEntityDescription()
    film.name = "Film"
    let (poster, cast) = (NSAttributeDescription(), NSAttributeDescription())
    (poster.name, poster.attributeType, poster.isOptional) = (
      "poster", .binaryDataAttributeType, true
    )
    poster.allowsExternalBinaryDataStorage = true
    (cast.name, cast.attributeType, cast.isOptional) = ("cast", .transformableAttributeType, true)
    film.properties = [poster, cast]
    let model = NSManagedObjectModel()
    model.entities = [film]
    let path = temporary.path("Films.sqlite")
    let store = try OpenedStore.create(path, model: model)
    try store.context.performAndWait {
      _ = NSEntityDescription.insertNewObject(forEntityName: "Film", into: store.context)
      try store.context.save()
    }
    store.close { Issue.record("\($0)") }
    return path
  }

  /// Makes the folder of a store's external values, and sets each poster to an external file that does not exist yet.
  private func makeFolder(of path: String) throws -> URL {
    let url = URL(fileURLWithPath: path)
    let folder = url.deletingLastPathComponent()
      .appendingPathComponent(".\(url.deletingPathExtension().lastPathComponent)_SUPPORT")
      .appendingPathComponent("_EXTERNAL_DATA")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    _ = try PlainSQL(path).rows(
      "UPDATE ZFILM SET ZPOSTER = CAST(x'02' || CAST('\(name)' AS BLOB) || x'00' AS BLOB)")
    return folder
  }

  // A value larger than the limit for values cannot be read at all, so the displayed size must come
  // from the file system.
  @Test func `The size of an external file is shown without reading it`() throws {
    let path = try films()
    let file = try makeFolder(of: path).appendingPathComponent(name)
    #expect(FileManager.default.createFile(atPath: file.path, contents: Data([1, 2, 3])))
    let handle = try FileHandle(forWritingTo: file)
    try handle.truncate(atOffset: 3 << 30)
    try handle.close()
    let table = ToolRun.coredata("fetch", path, "Film", "--columns", "poster")
    #expect(table.code == 0 && table.output.contains("‹3.2 GB›"), "\(table)")
    let json = ToolRun.coredata("fetch", path, "Film", "--columns", "poster", "--format", "json")
    #expect(json.output == "{\"poster\":null}\n", "\(json)")
    #expect(json.code == 65 && json.errors.contains("1 value that could not be read"), "\(json)")
    let verified = ToolRun.coredata("verify", path)
    #expect(verified.code == 65 && verified.output.contains("cannot be read"), "\(verified)")
  }

  /// Runs the program with a file size limit of 200 KB.
  private func runBounded(_ arguments: String...) throws -> Int32 {
    let program = try #require(RunningTool.program)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/bash")
    process.arguments = ["-c", #"ulimit -f 200; exec "$0" "$@""#, program.path] + arguments
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
  }

  @Test(arguments: ["the file of a value", "the store"])
  func `A failed copy leaves none of its files behind`(_ tooLarge: String) throws {
    let path = try films()
    let file = try makeFolder(of: path).appendingPathComponent(name)
    try Data(count: tooLarge == "the store" ? 150_000 : 300_000).write(to: file)
    if tooLarge == "the store" {
      _ = try PlainSQL(path).rows(
        "INSERT INTO ZFILM (Z_PK, Z_ENT, Z_OPT, ZCAST) VALUES (9, 1, 1, ZEROBLOB(400000))")
    }
    let folder = temporary.path("copies")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    #expect(try runBounded("copy", path, folder + "/copy.sqlite") == 65)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
    // An existing store is unchanged.
    let other = folder + "/other.sqlite"
    #expect(ToolRun.coredata("sample", other, "--rows", "10").code == 0)
    let before = try Data(contentsOf: URL(fileURLWithPath: other))
    #expect(try runBounded("copy", path, other, "--replace") == 65)
    #expect(try Data(contentsOf: URL(fileURLWithPath: other)) == before)
    let left = try FileManager.default.contentsOfDirectory(atPath: folder)
    #expect(!left.contains(".other_SUPPORT"), "\(left)")
    #expect(try runBounded("copy", other, folder + "/small.sqlite") == 0)
  }

  @Test
  func `Output that lacks values is reported as incomplete, fails, and contains the other values`()
    throws
  {
    let path = try films()
    _ = try makeFolder(of: path)
    _ = try PlainSQL(path).rows(
      "INSERT INTO ZFILM (Z_PK, Z_ENT, Z_OPT, ZPOSTER) VALUES (9, 1, 1, x'01616263')")
    let fetch = ["fetch", path, "Film", "--columns", "poster", "--sort", "objectID", "--format"]
    for (format, text) in [
      ("json", "{\"poster\":null}\n{\"poster\":\"YWJj\"}\n"), ("csv", "poster\r\n\r\nYWJj\r\n"),
    ] {
      let run = ToolRun.coredata(fetch + [format])
      #expect(run.code == 65 && run.output == text, "\(run)")
      #expect(run.errors.contains("error: the output lacks 1 value that could not be read\n"))
      #expect(run.errors.contains("Film/p1: poster\n"), "\(run)")
    }
    let table = ToolRun.coredata(fetch + ["table"])
    #expect(table.code == 65 && table.output.contains("‹unreadable›\n‹3 bytes›\n"), "\(table)")
    let watch = ToolRun.coredata(
      "watch", path, "Film", "--columns", "poster", "--format", "json", "--reports", "0")
    #expect(watch.code == 65 && watch.errors.contains("Film/p1: poster\n"), "\(watch)")
    // A fetch that does not include the unreadable value succeeds.
    #expect(ToolRun.coredata("fetch", path, "Film", "--columns", "objectID").code == 0)
  }

  @Test func `A value whose file is missing can be set to nil`() throws {
    let path = try films()
    for option in [[], ["--batch"]] {
      _ = try makeFolder(of: path)
      let run = ToolRun.coredata(["update", path, "Film", "poster=nil"] + option)
      #expect(run.code == 0 && run.output == "updated 1 row of Film\n", "\(run)")
      #expect(try PlainSQL(path).rows("SELECT ZPOSTER FROM ZFILM") == [[nil]])
    }
  }

  @Test func `A copy that lacks values is reported as incomplete and fails`() throws {
    let path = try films()
    let folder = try makeFolder(of: path)
    let copy = temporary.path("copy.sqlite")
    let gone = ToolRun.coredata("copy", path, copy)
    #expect(gone.code == 65 && gone.output.hasPrefix(copy), "\(gone)")
    #expect(gone.errors.contains("the copy lacks 1 file with values"), "\(gone)")
    #expect(gone.errors.contains(name), "\(gone)")
    try FileManager.default.createSymbolicLink(
      atPath: folder.appendingPathComponent(name).path, withDestinationPath: path)
    #expect(ToolRun.coredata("copy", path, copy, "--replace").code == 65)
    try FileManager.default.removeItem(at: folder.appendingPathComponent(name))
    try Data(count: 200_000).write(to: folder.appendingPathComponent(name))
    let whole = ToolRun.coredata("copy", path, copy, "--replace")
    #expect(whole.code == 0 && whole.errors == "", "\(whole)")
  }

  /// Archives of arrays, dictionaries and sets that are nested 60 levels deep. Apart from the last, a chain of sets
  /// with one member each, they would have 2^60 members if each occurrence of a shared object were written.
  private static func nestings() -> [Data] {
    ["list", "dictionary", "set", "chain"].map { kind in
      let builder = KeyedArchiveBuilder()
      let text = builder.add("a")
      var inner = builder.array([text])
      for _ in 0..<60 {
        switch kind {
        case "list": inner = builder.array([inner, inner])
        case "dictionary":
          inner = builder.add(
            .dictionary,
            ["NS.keys": .array([text, builder.add("b")]), "NS.objects": .array([inner, inner])])
        case "set": inner = builder.array([inner, builder.array([inner])], .set)
        default: inner = builder.array([inner], .set)
        }
      }
      return builder.finish(root: inner).data()
    }
  }

  @Test func `Values nested exponentially are shown as bytes without delay`() throws {
    let path = try films()
    for (number, archive) in Self.nestings().enumerated() {
      #expect(archive.count < 10_000)
      let text = archive.map { String(format: "%02x", $0) }.joined()
      _ = try PlainSQL(path).rows(
        "INSERT INTO ZFILM (Z_PK, Z_ENT, Z_OPT, ZCAST) VALUES (\(number + 10), 1, 1, x'\(text)')")
    }
    let table = ToolRun.coredata("fetch", path, "Film", "--columns", "cast")
    #expect(table.code == 0 && table.output.split(separator: "‹").count == 5, "\(table)")
    for format in ["json", "csv"] {
      let run = ToolRun.coredata("fetch", path, "Film", "--columns", "cast", "--format", format)
      #expect(run.code == 0 && run.output.split(whereSeparator: \.isNewline).count >= 5, "\(run)")
    }
    #expect(ToolRun.coredata("verify", path).code != 70)
  }

  @Test func `The printed form of a transformable value is limited in size`() {
    // Small values stay complete, and each member of a set is written once.
    let sets = NSSet(object: NSSet(array: ["b", "a"]))
    #expect(ValueJSON.text(of: sets) == #"[["a","b"]]"#)
    var nested = NSSet(array: ["b", "a"])
    for _ in 0..<6 { nested = NSSet(object: nested) }
    #expect(ValueJSON.text(of: nested) == #"[[[[[[["a","b"]]]]]]]"#)
    var list: [Any] = ["a"]
    for _ in 0..<40 { list = [list, list] }
    #expect(ValueJSON.wholeText(of: list) == nil)
    #expect(ValueJSON.text(of: list, .shown).contains("…"))
    #expect(ValueJSON.wholeText(of: [1, 2]) == "[1,2]")
    let text = String(repeating: "ä", count: 100_000)
    let cut = ValueJSON.text(of: [text], .shown)
    #expect(cut.hasSuffix("…\"]") && cut.utf8.count < 70_000)
  }

  @Test
  func `A pipe as a value or a source is reported as a pipe, and the tool does not block on it`()
    throws
  {
    let path = try films()
    let pipe = temporary.path("pipe.swift")
    #expect(mkfifo(pipe, 0o600) == 0)
    let insert = ToolRun.coredata("insert", path, "Film", "poster=@\(pipe)")
    #expect(insert.code == 64 && insert.errors.contains("is a named pipe (FIFO)"), "\(insert)")
    let port = ToolRun.coredata("port", "--check", pipe)
    #expect(port.code == 65 && port.errors.contains("is a named pipe (FIFO)"), "\(port)")
  }

  private func git(_ folder: String, _ arguments: String...) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments =
      ["git", "-C", folder, "-c", "user.name=A", "-c", "user.email=a@b"] + arguments
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "git \(arguments)")
  }

  @Test(arguments: ["strange", "a=b", "a=b.clean", "="])
  func `Programs in a repository's configuration are not run`(filter: String) throws {
    let folder = temporary.path("sources")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    let source = "import CoreData\n@objc(Person)\nclass Person: NSManagedObject {}\n"
    try Data(source.utf8).write(to: URL(fileURLWithPath: folder + "/Person.swift"))
    try Data("*.swift filter=\(filter)\n".utf8)
      .write(to: URL(fileURLWithPath: folder + "/.gitattributes"))
    try git(folder, "init", "-q")
    try git(folder, "add", ".")
    try git(folder, "commit", "-q", "-m", "first")
    let (program, mark) = (temporary.path("program"), temporary.path("mark"))
    try Data("#!/bin/sh\necho \"$0 $@\" >> '\(mark)'\ncat\n".utf8)
      .write(to: URL(fileURLWithPath: program))
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: program)
    for name in ["core.fsmonitor", "filter.\(filter).clean", "filter.\(filter).process"] {
      try git(folder, "config", name, program)
    }
    try FileManager.default.copyItem(
      atPath: program, toPath: folder + "/.git/hooks/post-index-change")
    // Git compares the content of a file only if its modification time has changed.
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -1e6)],
      ofItemAtPath: folder + "/Person.swift")
    let run = ToolRun.coredata("port", folder)
    #expect(!FileManager.default.fileExists(atPath: mark))
    // Git has no option that disables a filter with "=" in its name.
    let isRefused = filter.contains("=")
    #expect(run.code == (isRefused ? 65 : 0), "\(run)")
    #expect(
      run.errors.contains("contains 'filter.\(filter).clean', which no option can disable")
        == isRefused, "\(run)")
  }

  @Test func `No program runs to fetch an object missing from a repository`() throws {
    let folder = temporary.path("sources")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    let source = "import CoreData\n@objc(Person)\nclass Person: NSManagedObject {}\n"
    try Data(source.utf8).write(to: URL(fileURLWithPath: folder + "/Person.swift"))
    try git(folder, "init", "-q")
    try git(folder, "add", ".")
    try git(folder, "commit", "-q", "-m", "first")
    let (program, mark) = (temporary.path("program"), temporary.path("mark"))
    try Data("#!/bin/sh\necho run > '\(mark)'\n".utf8).write(to: URL(fileURLWithPath: program))
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: program)
    for (name, value) in [
      ("core.repositoryformatversion", "1"), ("extensions.partialClone", "origin"),
      ("remote.origin.url", "ssh://nowhere/x"), ("remote.origin.promisor", "true"),
      ("core.sshCommand", program),
    ] {
      try git(folder, "config", name, value)
    }
    // All objects are removed, so Git would fetch the first object that it needs from the remote.
    let objects = folder + "/.git/objects"
    for name in try FileManager.default.contentsOfDirectory(atPath: objects) where name.count == 2 {
      try FileManager.default.removeItem(atPath: "\(objects)/\(name)")
    }
    _ = ToolRun.coredata("port", folder)
    #expect(!FileManager.default.fileExists(atPath: mark))
    #expect(
      try Data(contentsOf: URL(fileURLWithPath: folder + "/Person.swift")) == Data(source.utf8))
  }
}
