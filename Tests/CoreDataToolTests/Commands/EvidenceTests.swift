import CoreData
import Foundation
import ObjectModel
import Testing

@testable import CoreDataTool
@testable import StoreInspection

/// A store may be evidence from a device. The tool reads it even if it is damaged, and leaves it unchanged.
struct EvidenceTests {
  private let temporary: TemporaryStore
  private let path: String

  init() throws {
    temporary = try TemporaryStore()
    path = temporary.sample()
  }

  /// The names, sizes, times and contents of all files in the folder.
  private func evidence() throws -> [String: String] {
    var evidence: [String: String] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: temporary.folder.path) + ["."] {
      let path = temporary.folder.path + "/" + name
      var status = stat()
      #expect(lstat(path, &status) == 0)
      let bytes =
        status.st_mode & S_IFMT == S_IFREG
        ? try Data(contentsOf: URL(fileURLWithPath: path)).base64EncodedString() : ""
      evidence[name] =
        "\(status.st_ino) \(status.st_size) \(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)"
        + " \(status.st_ctim.tv_sec).\(status.st_ctim.tv_nsec) \(bytes)"
    }
    return evidence
  }

  @Test(arguments: [false, true])
  func `Reading changes nothing in the folder of a store with a log`(_ immutable: Bool) throws {
    // The copy below is like the files of a program that was killed: all changes are in the log beside the store.
    let url = URL(fileURLWithPath: path)
    let opened = try OpenedStore.open(
      path, model: nil, readOnly: false, options: [NSPersistentHistoryTrackingKey: true])
    try opened.context.performAndWait {
      let person = NSEntityDescription.insertNewObject(
        forEntityName: "Team", into: opened.context)
      person.setValue("Logged", forKey: "name")
      try opened.context.save()
    }
    let copy = temporary.path("copied.sqlite")
    for suffix in ["", "-wal", "-shm"] {
      try Data(contentsOf: URL(fileURLWithPath: url.path + suffix))
        .write(to: URL(fileURLWithPath: copy + suffix))
    }
    opened.close()
    let before = try evidence()
    let option = immutable ? ["--immutable"] : []
    for command in [
      ["info", copy], ["info", copy, "Team"], ["fetch", copy, "Team", "--format", "csv"],
      ["history", copy], ["verify", copy], ["model", "show", copy], ["model", "check", copy],
      ["model", "hashes", copy], ["model", "diff", copy, copy],
      ["model", "diagram", copy, "--format", "dot"],
    ] {
      let run = ToolRun.coredata(command + option)
      #expect(run.code == 0, "\(run)")
      if command[0] == "fetch" { #expect(run.output.contains("Logged")) }
      #expect(try evidence() == before, "\(command)")
    }
    #expect(ToolRun.coredata(["verify", copy, "--repair", "--immutable"]).code == 64)
  }

  /// Returns the sizes and all times of files in the folder. Opens no file: reading would change a
  /// time, and closing a file would release the locks of this process on an open store.
  private func times(_ names: [String]) -> [String: [Int]] {
    var times: [String: [Int]] = [:]
    for name in names {
      var status = stat()
      #expect(lstat(temporary.folder.path + "/" + name, &status) == 0)
      times[name] = [
        Int(status.st_size), status.st_atim.tv_sec, status.st_atim.tv_nsec, status.st_mtim.tv_sec,
        status.st_mtim.tv_nsec, status.st_ctim.tv_sec, status.st_ctim.tv_nsec,
      ]
    }
    return times
  }

  @Test func `Reading the model of a store in use with --immutable changes no time`() throws {
    let opened = try OpenedStore.open(path, model: nil, readOnly: false)
    try opened.context.performAndWait {
      let team = NSEntityDescription.insertNewObject(forEntityName: "Team", into: opened.context)
      team.setValue("Logged", forKey: "name")
      try opened.context.save()
    }
    // A file that is created or removed changes a time of the folder.
    let names = try FileManager.default.contentsOfDirectory(atPath: temporary.folder.path) + ["."]
    #expect(names.contains("Contacts.sqlite-wal") && names.contains("Contacts.sqlite-shm"))
    // Linux usually updates the access time of a file only if it precedes the last modification. With these times any
    // read would be noticed.
    let old = [
      timespec(tv_sec: 1_000_000_000, tv_nsec: 0), timespec(tv_sec: 1_100_000_000, tv_nsec: 0),
    ]
    for name in names {
      #expect(utimensat(AT_FDCWD, temporary.folder.path + "/" + name, old, 0) == 0)
    }
    let elsewhere = try TemporaryStore()
    let before = times(names)
    for command in [
      ["show", path], ["check", path], ["hashes", path], ["diff", path, path],
      ["diagram", path, "--format", "dot"], ["convert", path, elsewhere.path("M.json")],
    ] {
      // The tool runs in a process of its own, because this one has the store open.
      let end = try RunningTool(["model"] + command + ["--immutable"]).end()
      #expect(end.code == 0, "\(command) \(end.errors)")
      #expect(times(names) == before, "\(command)")
    }
    opened.close()
  }

  @Test func `A store without metadata is read with a warning and is not written`() throws {
    _ = try PlainSQL(path).rows("UPDATE Z_METADATA SET Z_PLIST = NULL")
    let info = ToolRun.coredata("info", path)
    #expect(info.code == 0 && info.output.contains("Person"))
    #expect(info.errors.contains("warning: ") && info.errors.contains("Z_PLIST is NULL"))
    let fetched = ToolRun.coredata("fetch", path, "Person", "--format", "csv")
    #expect(fetched.code == 0 && fetched.output.split(whereSeparator: \.isNewline).count > 30)
    let verified = ToolRun.coredata("verify", path)
    #expect(verified.code == 65 && verified.output.contains("Z_PLIST is NULL"))
    let update = ToolRun.coredata("delete", path, "Person", "--where", "age < 0", "--yes")
    #expect(update.code == 65 && update.errors.contains("Z_PLIST is NULL"))
    let copy = temporary.path("copy.sqlite")
    #expect(ToolRun.coredata("copy", path, copy).code == 0)
    #expect(ToolRun.coredata("fetch", copy, "Person", "--format", "csv").output == fetched.output)
  }

  @Test func `A store with a truncated model is read with one inferred from its tables`() throws {
    _ = try PlainSQL(path).rows(
      "UPDATE Z_MODELCACHE SET Z_CONTENT = SUBSTR(Z_CONTENT, 1, LENGTH(Z_CONTENT) / 2)")
    let run = ToolRun.coredata("fetch", path, "Person", "--format", "csv")
    #expect(run.code == 0 && run.output.split(whereSeparator: \.isNewline).count > 30)
    #expect(run.errors.contains("model: inferred") && run.errors.contains("Z_MODELCACHE"))
    let shown = ToolRun.coredata("model", "show", path)
    #expect(
      shown.code == 0 && shown.errors.contains("warning: ") && shown.output.contains("Person"))
    // The tables hold no delete rules and no inverses.
    let delete = ToolRun.coredata("delete", path, "Person", "--where", "age > 0", "--yes")
    #expect(delete.code == 65 && delete.errors.contains("--model FILE"), "\(delete)")
  }

  @Test func `A store without a copy of its model is only read`() throws {
    _ = try PlainSQL(path).rows("DELETE FROM Z_MODELCACHE")
    let run = ToolRun.coredata("fetch", path, "Person", "--format", "csv")
    #expect(run.code == 0 && run.errors.contains("model: inferred"), "\(run)")
    let delete = ToolRun.coredata("delete", path, "Person", "--where", "AGE > 0", "--yes")
    #expect(delete.code == 65 && delete.errors.contains("contains no copy of its model"))
    #expect(delete.errors.contains("--model FILE"), "\(delete)")
  }

  @Test func `A store whose model violates a rule is read with a warning`() throws {
    // DataUsage.sqlite of iOS has such a model.
    let opened = try OpenedStore.open(path, model: nil, readOnly: true)
    let model = try #require(opened.model.copy() as? NSManagedObjectModel)
    opened.close()
    let toOne = model.entities.lazy.flatMap(\.relationshipsByName.values).first { !$0.isToMany }
    try #require(toOne).isOrdered = true
    let bytes = try model.storeModelCache().map { String(format: "%02x", $0) }.joined()
    _ = try PlainSQL(path).rows("UPDATE Z_MODELCACHE SET Z_CONTENT = x'\(bytes)'")
    for command in [["info", path], ["fetch", path, "Person", "--format", "csv"]] {
      let run = ToolRun.coredata(command)
      #expect(run.code == 0 && run.errors.contains("only a to-many relationship can be ordered"))
      #expect(
        run.output.contains("Person") || run.output.split(whereSeparator: \.isNewline).count > 30)
    }
  }

  @Test func `A pipe is refused as a store and as a model, and the tool does not block on it`()
    throws
  {
    let pipe = temporary.path("pipe.sqlite")
    #expect(mkfifo(pipe, 0o600) == 0)
    for command in [
      ["info", pipe], ["copy", pipe, temporary.path("copy.sqlite")], ["verify", pipe],
      ["fetch", pipe, "Person"], ["model", "check", pipe], ["info", path, "--model", pipe],
    ] {
      let run = ToolRun.coredata(command)
      #expect(run.code == 65, "\(run)")
      #expect(run.errors.contains("a named pipe (FIFO)"), "\(run)")
    }
  }

  @Test func `Writing to a symbolic link is refused without --follow-links`() throws {
    let target = temporary.path("target.sqlite")
    let link = temporary.path("link.sqlite")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
    let model = temporary.path("link.svg")
    try FileManager.default.createSymbolicLink(
      atPath: model, withDestinationPath: temporary.path("target.svg"))
    let commands = [
      ["copy", path, link, "--replace"], ["sample", link, "--rows", "10"],
      ["model", "diagram", path, "--output", model, "--force"],
    ]
    for command in commands {
      let run = ToolRun.coredata(command)
      #expect(run.code == 64, "\(run)")
      #expect(run.errors.contains("is a symbolic link") && run.errors.contains("--follow-links"))
    }
    #expect(!FileManager.default.fileExists(atPath: target))
    for command in commands {
      if command[0] != "model" { try? FileManager.default.removeItem(atPath: target) }
      let run = ToolRun.coredata(command + ["--follow-links"])
      #expect(run.code == 0, "\(run)")
    }
    #expect(FileManager.default.fileExists(atPath: target))
    #expect(FileManager.default.fileExists(atPath: temporary.path("target.svg")))
    #expect((try? FileManager.default.destinationOfSymbolicLink(atPath: link)) == target)
    let migration = ToolRun.coredata("migrate", link, "--to", path)
    #expect(migration.code == 64 && migration.errors.contains("is a symbolic link"))
    // A link to a store is opened under its own name, and the output describes the store.
    let (ofLink, ofTarget) = (
      ToolRun.coredata("info", link), ToolRun.coredata("info", target)
    )
    #expect(ofLink.code == 0)
    #expect(ofLink.output == ofTarget.output.replacing(target, with: link), "\(ofLink)")
  }
}
