import Foundation
import Testing

@testable import CoreDataTool
@testable import StoreInspection

final class PortCommandTests {
  private let folder: URL
  private let source = """
    import CoreData

    @objc(Person)
    public class Person: NSManagedObject {
      static let key = #keyPath(Person.name)
    }

    """
  private let ported = """
    import CoreData

    #if canImport(ObjectiveC)
    @objc(Person)
    #endif
    public class Person: NSManagedObject {
      static let key = "name"
    }

    """

  init() throws {
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("port-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(
      at: folder.appendingPathComponent("Sources"), withIntermediateDirectories: true)
    try write(source, "Sources/Person.swift")
    try write("let a = 1\n", "Sources/Other.swift")
    try write("#keyPath", "Sources/notes.txt")
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  private func path(_ name: String) -> String { folder.appendingPathComponent(name).path }
  private func write(_ text: String, _ name: String) throws {
    try Data(text.utf8).write(to: folder.appendingPathComponent(name))
  }
  private func read(_ name: String) throws -> String {
    try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
  }

  private func git(_ arguments: String...) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments =
      ["git", "-C", folder.path, "-c", "user.name=A", "-c", "user.email=a@b"] + arguments
    process.standardOutput = FileHandle.nullDevice
    let errors = Pipe()
    process.standardError = errors
    try process.run()
    let messages = try errors.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    #expect(
      process.terminationStatus == 0,
      "git \(arguments): \(String(decoding: messages, as: UTF8.self))")
  }

  @Test func `A folder is rewritten in place, and a second run changes nothing`() throws {
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o750], ofItemAtPath: path("Sources/Person.swift"))
    let run = ToolRun.coredata("port", "--allow-uncommitted", folder.path)
    #expect(run.code == 0, "\(run)")
    let permissions = try FileManager.default.attributesOfItem(
      atPath: path("Sources/Person.swift"))[.posixPermissions]
    #expect(permissions as? Int == 0o750)
    #expect(
      run.errors == "2 files, 2 places rewritten, nothing left to do by hand\n", "\(run)")
    #expect(run.output.contains("Person.swift:3:1: rewritten: @objc(Person) needs Objective-C"))
    #expect(try read("Sources/Person.swift") == ported)
    #expect(try read("Sources/notes.txt") == "#keyPath")
    let again = ToolRun.coredata("port", "--check", folder.path)
    #expect(again.code == 0)
    #expect(again.output == "")
    #expect(again.errors == "2 files, 0 places to be rewritten, nothing left to do by hand\n")
  }

  @Test func `A check lists the changes to make and changes no file`() throws {
    try write("import UIKit\n", "Sources/View.swift")
    let run = ToolRun.coredata("port", "--check", path("Sources/Person.swift"), path("Sources"))
    #expect(run.code == 1)
    #expect(run.output.contains("Person.swift:5:20: to be rewritten: #keyPath(Person.name)"))
    #expect(
      run.output.contains("View.swift:1:1: by hand: UIKit exists on Apple's platforms only"))
    #expect(run.errors.hasSuffix(", 1 left to do by hand\n"), "\(run)")
    #expect(try read("Sources/Person.swift") == source)
  }

  @Test func `Git can apply the printed patch`() throws {
    try git("init", "-q")
    let run = ToolRun.coredata("port", "--diff", path("Sources/Person.swift"))
    #expect(run.code == 0)
    #expect(try read("Sources/Person.swift") == source)
    let patch = run.output.replacing("a\(folder.path)", with: "a").replacing(
      "b\(folder.path)", with: "b")
    try write(patch, "port.patch")
    try git("apply", path("port.patch"))
    #expect(try read("Sources/Person.swift") == ported)
  }

  @Test func `Files with uncommitted changes are refused without --allow-uncommitted`() throws {
    try git("init", "-q")
    try git("add", "Sources/Other.swift", "Sources/Person.swift")
    try git("commit", "-q", "-m", "first")
    try write(source + "// more\n", "Sources/Person.swift")
    let refused = ToolRun.coredata("port", folder.path)
    #expect(refused.code == 65)
    #expect(refused.errors.contains("nothing was rewritten"))
    #expect(refused.errors.contains("Person.swift"))
    #expect(try read("Sources/Person.swift") == source + "// more\n")
    // Nor can git restore a file that was never added to it.
    try write(source, "Sources/Person.swift")
    try write(source, "Sources/New.swift")
    #expect(ToolRun.coredata("port", folder.path).code == 65)
    #expect(ToolRun.coredata("port", path("Sources/Person.swift")).code == 0)
    #expect(ToolRun.coredata("port", folder.path, "--allow-uncommitted").code == 0)
    #expect(try read("Sources/New.swift") == ported)
  }

  @Test func `An invalid .git folder does not hide the repository around it`() throws {
    try git("init", "-q")
    try git("add", "Sources")
    try git("commit", "-q", "-m", "first")
    let inner = folder.appendingPathComponent("Sources/.git")
    try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: false)
    try write(source + "// more\n", "Sources/Person.swift")
    let refused = ToolRun.coredata("port", path("Sources"))
    #expect(refused.code == 65)
    #expect(refused.errors.contains("uncommitted changes that git cannot restore"), "\(refused)")
    #expect(try read("Sources/Person.swift") == source + "// more\n")
    try write(source, "Sources/Person.swift")
    #expect(ToolRun.coredata("port", path("Sources")).code == 0)
    #expect(try read("Sources/Person.swift") == ported)
  }

  @Test func `Files in a repository that git cannot use are refused`() throws {
    try FileManager.default.createDirectory(
      at: folder.appendingPathComponent(".git"), withIntermediateDirectories: false)
    let refused = ToolRun.coredata("port", path("Sources"))
    #expect(refused.code == 65)
    #expect(refused.errors.contains("git cannot report the changes"), "\(refused)")
    #expect(try read("Sources/Person.swift") == source)
  }

  @Test func `A repository inside a repository has its own commits`() throws {
    try git("init", "-q")
    try git("init", "-q", "Sources")
    try git("-C", "Sources", "add", "Other.swift")
    try git("-C", "Sources", "commit", "-q", "-m", "first")
    #expect(ToolRun.coredata("port", path("Sources")).errors.contains("git cannot restore"))
    #expect(try read("Sources/Person.swift") == source)
    try git("-C", "Sources", "add", "Person.swift")
    try git("-C", "Sources", "commit", "-q", "-m", "second")
    #expect(ToolRun.coredata("port", path("Sources")).code == 0)
    #expect(try read("Sources/Person.swift") == ported)
  }

  @Test func `A file in place of a submodule is refused without --allow-uncommitted`() throws {
    try git("init", "-q")
    try git("init", "-q", "Module.swift")
    try git("-C", "Module.swift", "commit", "-q", "--allow-empty", "-m", "first")
    try git("add", ".")
    try git("commit", "-q", "-m", "first")
    try FileManager.default.removeItem(atPath: path("Module.swift"))
    try write(source, "Module.swift")
    let refused = ToolRun.coredata("port", path("Module.swift"))
    #expect(refused.errors.contains("git cannot restore"), "\(refused)")
    #expect(try read("Module.swift") == source)
  }

  @Test func `Two names with the same characters in different bytes are two files`() throws {
    try git("init", "-q")
    try write(source, "caf\u{e9}.swift")
    try git("add", ".")
    try git("commit", "-q", "-m", "first")
    try write(source, "cafe\u{301}.swift")
    let refused = ToolRun.coredata("port", path("cafe\u{301}.swift"))
    #expect(refused.errors.contains("git cannot restore"), "\(refused)")
    #expect(try read("cafe\u{301}.swift") == source)
    #expect(ToolRun.coredata("port", path("caf\u{e9}.swift")).code == 0)
  }

  @Test func `Git may write any number of warnings`() throws {
    try git("init", "-q")
    try git("add", ".")
    try git("commit", "-q", "-m", "first")
    // Git reports each of these lines when it compares the changed file.
    let attributes = (0..<3000).map { "*.swift -attribute\($0)~of-no-valid-name\n" }
    try write(attributes.joined(), ".gitattributes")
    try write(source + "// more\n", "Sources/Person.swift")
    let run = ToolRun.coredata("port", folder.path)
    #expect(run.code == 65)
    #expect(run.errors.contains("Person.swift"), "\(run)")
  }

  @Test func `Files that git ignores or skips are refused without --allow-uncommitted`() throws {
    try git("init", "-q")
    try write("Made.swift\n", "Sources/.gitignore")
    try git("add", ".")
    try git("commit", "-q", "-m", "first")
    try git("update-index", "--skip-worktree", "Sources/Person.swift")
    try write(source, "Sources/Made.swift")
    for name in ["Sources/Person.swift", "Sources/Made.swift"] {
      let run = ToolRun.coredata("port", path(name))
      #expect(run.code == 65)
      #expect(run.errors.contains("git cannot restore"))
      #expect(try read(name) == source)
    }
    // A file has one name in the output, regardless of the argument that includes it.
    let all = ToolRun.coredata("port", folder.path)
    for name in ["Sources/Person.swift", "Sources/Made.swift"] {
      let one = ToolRun.coredata("port", path(name))
      let line = one.errors.split(separator: "\n").first { $0.contains(".swift") }
      #expect(line.map { all.errors.contains($0) } == true)
    }
  }

  @Test func `A link stays a link, and the file it leads to is checked and rewritten`()
    throws
  {
    try git("init", "-q")
    try git("add", ".")
    try git("commit", "-q", "-m", "first")
    let link = path("Link.swift")
    try FileManager.default.createSymbolicLink(
      atPath: link, withDestinationPath: "Sources/Person.swift")
    try write(source + "// more\n", "Sources/Person.swift")
    #expect(ToolRun.coredata("port", link).code == 65)
    try write(source, "Sources/Person.swift")
    let run = ToolRun.coredata("port", link, path("Sources/Person.swift"))
    #expect(run.code == 0, "\(run)")
    // The file is named twice and rewritten once.
    #expect(run.errors.hasPrefix("1 file, 2 places rewritten"), "\(run)")
    #expect(
      try FileManager.default.destinationOfSymbolicLink(atPath: link) == "Sources/Person.swift")
    #expect(try read("Sources/Person.swift") == ported)
  }

  @Test func `Remaining places are reported with their line in the rewritten file`() throws {
    try write(source + "let c = object_getClass(1)\n", "Sources/Person.swift")
    let check = ToolRun.coredata("port", "--check", path("Sources"))
    #expect(check.output.contains("Person.swift:7:9: by hand:"), "\(check)")
    let run = ToolRun.coredata("port", "--allow-uncommitted", path("Sources"))
    #expect(run.code == 1)
    #expect(run.output.contains("Person.swift:9:9: by hand:"), "\(run)")
  }

  @Test func `Files outside a repository are rewritten only with --allow-uncommitted`() throws {
    let refused = ToolRun.coredata("port", path("Sources"))
    #expect(refused.code == 65)
    #expect(refused.errors.contains("are not in a git repository"), "\(refused)")
    #expect(refused.errors.contains("Person.swift"))
    // A file that needs no change is not at risk.
    #expect(!refused.errors.contains("Other.swift"))
    #expect(refused.errors.contains("nothing was rewritten"))
    #expect(try read("Sources/Person.swift") == source)
    #expect(ToolRun.coredata("port", path("Sources/Other.swift")).code == 0)
    #expect(ToolRun.coredata("port", "--check", path("Sources")).code == 1)
    #expect(ToolRun.coredata("port", path("Sources"), "--allow-uncommitted").code == 0)
    #expect(try read("Sources/Person.swift") == ported)
  }

  @Test func `Classes are known across all files in the arguments`() throws {
    try write(
      "class Node: NSManagedObject { @objc(isLeaf) @NSManaged var leaf: Bool }\n",
      "Sources/Node.swift")
    try write("let key = #keyPath(Node.leaf)\n", "Sources/Other.swift")
    #expect(ToolRun.coredata("port", "--allow-uncommitted", path("Sources")).code == 0)
    #expect(try read("Sources/Other.swift") == "let key = \"isLeaf\"\n")
  }

  private func writeModel(_ name: String, _ codegen: String) throws {
    try FileManager.default.createDirectory(
      at: folder.appendingPathComponent(name), withIntermediateDirectories: true)
    try write(
      """
      <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
      <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
        <entity name="Club" representedClassName=".Club" codeGenerationType="\(codegen)">
          <attribute name="name" attributeType="String"/>
          <relationship name="members" optional="YES" toMany="YES" destinationEntity="Member" \
      inverseName="club" inverseEntity="Member"/>
        </entity>
        <entity name="Member" representedClassName="Member" codeGenerationType="class">
          <relationship name="club" optional="YES" maxCount="1" destinationEntity="Club" \
      inverseName="members" inverseEntity="Club"/>
        </entity>
      </model>

      """, "\(name)/contents")
  }

  @Test func `Classes generated from the package's models are known`() throws {
    let text = """
      import CoreData
      extension Club {
        @objc var initial: String { "a" }
        func fill(_ member: Member) {
          members = [member]
          member.club?.addToMembers([member])
        }
      }

      """
    try write("// a package", "Package.swift")
    try write(text, "Sources/Club.swift")
    try writeModel("Resources/Club.xcdatamodel", "class")
    let run = ToolRun.coredata("port", "--allow-uncommitted", path("Sources/Club.swift"))
    #expect(run.code == 1)
    #expect(run.output.contains("Club is generated: set the Codegen"), "\(run)")
    let ported = try read("Sources/Club.swift")
    #expect(ported.contains("members = NSSet(array: [member])"))
    #expect(ported.contains("addToMembers(NSSet(array: [member]))"))
    // The properties of a handwritten class come from its source.
    try writeModel("Resources/Club.xcdatamodel", "")
    try write(text, "Sources/Club.swift")
    let other = ToolRun.coredata("port", "--allow-uncommitted", path("Sources/Club.swift"))
    #expect(!other.output.contains("generated"), "\(other)")
    #expect(try read("Sources/Club.swift").contains("members = [member]"))
  }

  @Test(arguments: [
    (".hg", "Mercurial"), (".svn", "Subversion"), (".jj", "Jujutsu"), (".bzr", "Bazaar"),
    (".fslckout", "Fossil"),
  ])
  func `Files under another version control system are refused without --allow-uncommitted`(
    _ mark: String, _ system: String
  ) throws {
    if mark.hasPrefix(".f") {
      try write("", mark)
    } else {
      try FileManager.default.createDirectory(
        at: folder.appendingPathComponent(mark), withIntermediateDirectories: true)
    }
    let refused = ToolRun.coredata("port", path("Sources"))
    #expect(refused.code == 65)
    #expect(refused.errors.contains("is managed by \(system)"), "\(refused)")
    #expect(refused.errors.contains("nothing was rewritten"))
    #expect(refused.errors.contains("--allow-uncommitted"))
    #expect(try read("Sources/Person.swift") == source)
    // Commands that rewrite nothing are not refused.
    #expect(ToolRun.coredata("port", "--check", path("Sources")).code == 1)
    #expect(ToolRun.coredata("port", path("Sources/Other.swift")).code == 0)
    #expect(ToolRun.coredata("port", path("Sources"), "--allow-uncommitted").code == 0)
    #expect(try read("Sources/Person.swift") == ported)
  }

  @Test func `In a folder with git and another version control system, git is checked`() throws {
    try git("init", "-q")
    try FileManager.default.createDirectory(
      at: folder.appendingPathComponent(".jj"), withIntermediateDirectories: true)
    try git("add", "Sources")
    #expect(ToolRun.coredata("port", path("Sources")).errors.contains("git cannot restore"))
    try git("commit", "-q", "-m", "first")
    #expect(ToolRun.coredata("port", path("Sources")).code == 0)
    #expect(try read("Sources/Person.swift") == ported)
  }

  @Test func `A file with a syntax error is left unchanged, and the other files are rewritten`()
    throws
  {
    try write("@objc class A {\n  func f( {\n", "Sources/Broken.swift")
    let run = ToolRun.coredata("port", "--allow-uncommitted", path("Sources"))
    #expect(run.code == 1)
    #expect(run.output.contains("Broken.swift:2:11: by hand: “)” is missing here"), "\(run)")
    #expect(try read("Sources/Broken.swift") == "@objc class A {\n  func f( {\n")
    #expect(try read("Sources/Person.swift") == ported)
    let notes = ToolRun.coredata("port", path("Sources/notes.txt"))
    #expect(notes.code == 65)
    #expect(notes.errors.contains("is not a Swift source"))
  }

  @Test func `Input that cannot be read is reported`() throws {
    #expect(ToolRun.coredata("port", "/nowhere").code == 65)
    #expect(ToolRun.coredata("port").code == 64)
    try Data([0xff, 0xfe, 0x00]).write(to: folder.appendingPathComponent("Sources/Odd.swift"))
    let run = ToolRun.coredata("port", folder.path)
    #expect(run.code == 65)
    #expect(run.errors.contains("is not UTF-8"))
    #expect(try read("Sources/Person.swift") == source)
  }
}
