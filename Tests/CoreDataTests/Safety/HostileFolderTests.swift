import CoreData
import Testing

/// Another user or an untrusted archive may have made the files beside a store. The library must not follow links among
/// them to files in other folders (CWE-59, "Improper Link Resolution Before File Access").
@Suite("Manipulated folders beside a store")
struct HostileFolderTests {
  /// Which of the two folders for external values is a link.
  enum Linked: String, CaseIterable { case support, data }

  private let folder: TemporaryFolder
  private let url: URL
  private let name = "01234567-89AB-CDEF-0123-456789ABCDEF"
  /// A folder with files of another program. The links refer to this folder.
  private let elsewhere: URL

  init() throws {
    folder = try TemporaryFolder()
    url = folder.file("store.sqlite")
    elsewhere = folder.file("elsewhere")
    let store = try OpenStore(url, SampleStore.model())
    try store.context.performAndWait {
      for name in ["Ann", "Bob"] { store.context.insert("Player", ["name": name]) }
      try store.context.save()
    }
    try store.close()
    try PlainDatabase(url).execute(
      "UPDATE ZPLAYER SET ZPORTRAIT = CAST(x'02' || CAST('\(name)' AS BLOB) || x'00' AS BLOB)"
        + " WHERE ZNAME = 'Ann'")
  }

  private func support(of url: URL) -> URL {
    url.deletingLastPathComponent()
      .appendingPathComponent(".\(url.deletingPathExtension().lastPathComponent)_SUPPORT")
  }

  private func makeFolder(_ url: URL) throws {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  /// Makes a foreign folder with old files and folders, some of them with the names of a store's
  /// files.
  private func makeElsewhere(_ place: URL) throws {
    for name in [name, UUID().uuidString] {
      let inner = place.appendingPathComponent(name)
      try makeFolder(inner)
      try Data("inner".utf8).write(to: inner.appendingPathComponent("kept"))
    }
    for name in [UUID().uuidString, UUID().uuidString + ".new", "letters.txt"] {
      let file = place.appendingPathComponent(name)
      try Data("kept".utf8).write(to: file)
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -1e6)], ofItemAtPath: file.path)
    }
  }

  private func link(_ linked: Linked, of url: URL) throws {
    let support = support(of: url)
    switch linked {
    case .support:
      try makeElsewhere(elsewhere.appendingPathComponent("_EXTERNAL_DATA"))
      try FileManager.default.createSymbolicLink(at: support, withDestinationURL: elsewhere)
    case .data:
      try makeElsewhere(elsewhere)
      try makeFolder(support)
      try FileManager.default.createSymbolicLink(
        at: support.appendingPathComponent("_EXTERNAL_DATA"), withDestinationURL: elsewhere)
    }
  }

  private func content() throws -> Set<String> {
    Set(try FileManager.default.subpathsOfDirectory(atPath: elsewhere.path))
  }

  private func makePipe(_ path: String) { #expect(mkfifo(path, 0o600) == 0) }

  @Test(
    "A linked folder is a finding, and a repair keeps all files in its target",
    arguments: Linked.allCases)
  func repair(linked: Linked) throws {
    try link(linked, of: url)
    let before = try content()
    let found = try NSPersistentStoreCoordinator.verifyPersistentStore(at: url, repairing: true)
    #expect(found.findings.map(\.kind) == [.externalFolder, .missingFile] && !found.isIntact)
    #expect(found.findings.first?.message.contains("is a symbolic link, not a folder") == true)
    #expect(found.backup == nil)
    // This finding is repairable, but the repair fails, because it cannot make a backup first.
    try PlainDatabase(url).execute("UPDATE Z_PRIMARYKEY SET Z_MAX = 0")
    let error = #expect(throws: NSError.self) {
      try NSPersistentStoreCoordinator.verifyPersistentStore(at: url, repairing: true)
    }
    #expect(error?.localizedDescription.contains("is a symbolic link") == true)
    #expect(try PlainDatabase(url).values("SELECT MAX(Z_MAX) FROM Z_PRIMARYKEY") == [[.integer(0)]])
    #expect(try content() == before)
  }

  @Test(
    "With a linked folder, values are nil, saving values fails, and deletions remove no files",
    arguments: Linked.allCases)
  func use(linked: Linked) throws {
    try link(linked, of: url)
    let before = try content()
    let store = try OpenStore(url, SampleStore.model())
    try store.context.performAndWait {
      let players = try store.context.all("Player", sort: ["name"])
      #expect(players.map { $0.value(forKey: "portrait") as? Data } == [nil, nil])
      players[1].setValue(Data(count: 200_000), forKey: "portrait")
      let error = failure { try store.context.save() }
      #expect(error?.localizedDescription.contains("is a symbolic link, not a folder") == true)
      store.context.rollback()
      store.context.delete(players[0])
      try store.context.save()
    }
    try store.close()
    #expect(try content() == before)
  }

  @Test(
    "A store with a linked folder cannot be copied, replaced or destroyed",
    arguments: Linked.allCases)
  func files(linked: Linked) throws {
    try link(linked, of: url)
    let before = try content()
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: SampleStore.model())
    let other = folder.file("other.sqlite")
    let copying = #expect(throws: NSError.self) {
      try coordinator.replacePersistentStore(
        at: other, withPersistentStoreFrom: url, ofType: NSSQLiteStoreType)
    }
    #expect(copying?.localizedDescription.contains("is a symbolic link") == true)
    #expect(!FileManager.default.fileExists(atPath: other.path))
    try OpenStore(other, SampleStore.model()).close()
    #expect(throws: NSError.self) {
      try coordinator.replacePersistentStore(
        at: url, withPersistentStoreFrom: other, ofType: NSSQLiteStoreType)
    }
    #expect(throws: NSError.self) {
      try coordinator.destroyPersistentStore(at: url, ofType: NSSQLiteStoreType)
    }
    #expect(try PlainDatabase(url).values("SELECT COUNT(*) FROM ZPLAYER") == [[.integer(2)]])
    #expect(try content() == before)
  }

  @Test(
    "A file that is not a store is not replaced, and no file is added beside it",
    arguments: ["text", "database", "xml"], [false, true])
  func replacing(kind: String, linked: Bool) throws {
    let data = support(of: url).appendingPathComponent("_EXTERNAL_DATA")
    try makeFolder(data)
    try Data([1, 2, 3]).write(to: data.appendingPathComponent(name))
    try makeFolder(elsewhere)
    let target = elsewhere.appendingPathComponent("other.sqlite")
    if kind == "database" {
      try Data().write(to: target)
      try PlainDatabase(target).execute(
        "CREATE TABLE letters (text); INSERT INTO letters VALUES (1)")
    } else {
      try Data("Dear Bob".utf8).write(to: target)
    }
    let place = linked ? folder.file("link.sqlite") : target
    if linked {
      try FileManager.default.createSymbolicLink(at: place, withDestinationURL: target)
    }
    let type = kind == "xml" ? NSXMLStoreType : NSSQLiteStoreType
    var source = url
    if kind == "xml" {
      source = folder.file("store.xml")
      let coordinator = NSPersistentStoreCoordinator(managedObjectModel: SampleStore.model())
      try coordinator.addPersistentStore(
        ofType: type, configurationName: nil, at: source, options: nil)
    }
    let before = try Data(contentsOf: target)
    let error = failure {
      try NSPersistentStoreCoordinator(managedObjectModel: SampleStore.model())
        .replacePersistentStore(at: place, withPersistentStoreFrom: source, ofType: type)
    }
    #expect(error?.code == NSFileReadCorruptFileError)
    #expect(try Data(contentsOf: target) == before)
    let names = try FileManager.default.contentsOfDirectory(atPath: elsewhere.path)
    #expect(names == ["other.sqlite"])
  }

  @Test("Deletions, repairs and destroying a store remove only regular files whose names are UUIDs")
  func strangers() throws {
    let data = support(of: url).appendingPathComponent("_EXTERNAL_DATA")
    try makeElsewhere(data)
    try FileManager.default.createSymbolicLink(
      at: data.appendingPathComponent(UUID().uuidString), withDestinationURL: url)
    let (pipe, socket) = (UUID().uuidString, UUID().uuidString)
    makePipe(data.appendingPathComponent(pipe).path)
    makePipe(data.appendingPathComponent(socket).path)
    let kept = Set(
      try FileManager.default.subpathsOfDirectory(atPath: data.path).filter { name in
        name.contains("/") || name == "letters.txt" || pipe == name || socket == name
          || (try? FileManager.default.attributesOfItem(
            atPath: data.appendingPathComponent(name).path)[.type] as? FileAttributeType)
            != .typeRegular
      })
    // The row refers to a value's file, but a folder has that name.
    let store = try OpenStore(url, SampleStore.model())
    try store.context.performAndWait {
      let ann = try #require(try store.context.all("Player", "name == 'Ann'").first)
      #expect(ann.value(forKey: "portrait") == nil)
      store.context.delete(ann)
      try store.context.save()
    }
    try store.close()
    func present() throws -> Set<String> {
      Set(try FileManager.default.subpathsOfDirectory(atPath: data.path))
    }
    #expect(try present().isSuperset(of: kept))
    let found = try NSPersistentStoreCoordinator.verifyPersistentStore(at: url, repairing: true)
    #expect(found.findings.map(\.kind) == [.foreignFile, .unusedFile] && found.isIntact)
    #expect(try present() == kept)
    let backup = try #require(found.backup)
    let copied = try FileManager.default.contentsOfDirectory(
      atPath: support(of: backup).appendingPathComponent("_EXTERNAL_DATA").path)
    #expect(copied.count == 1 && UUID(uuidString: copied[0]) != nil)
    try NSPersistentStoreCoordinator(managedObjectModel: SampleStore.model())
      .destroyPersistentStore(at: url, ofType: NSSQLiteStoreType)
    #expect(try present() == kept)
  }

  @Test("With a pipe in place of its file, a value is nil, and nothing blocks")
  func pipes() throws {
    let data = support(of: url).appendingPathComponent("_EXTERNAL_DATA")
    try makeFolder(data)
    makePipe(data.appendingPathComponent(name).path)
    let store = try OpenStore(url, SampleStore.model())
    try store.context.performAndWait {
      let ann = try #require(try store.context.all("Player", "name == 'Ann'").first)
      #expect(ann.value(forKey: "portrait") == nil)
    }
    try store.close()
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: SampleStore.model())
    let copy = folder.file("copy.sqlite")
    try coordinator.replacePersistentStore(
      at: copy, withPersistentStoreFrom: url, ofType: NSSQLiteStoreType)
    #expect(
      try NSPersistentStoreCoordinator.verifyPersistentStore(at: copy).findings.map(\.kind)
        == [.missingFile])
  }

  @Test(
    "A store, log or journal that is not a regular file throws an error that says what it is",
    arguments: ["", "-wal", "-shm", "-journal"], ["pipe", "folder", "socket", "device", "link"])
  func kinds(suffix: String, kind: String) throws {
    // A link to a store is followed, so it does not cause this error. A link to a log or journal is not followed.
    if suffix.isEmpty, kind == "link" { return }
    let place = suffix.isEmpty ? folder.file("other.sqlite") : url
    let path = place.path + suffix
    let phrase: String
    switch kind {
    case "pipe":
      makePipe(path)
      phrase = "is a named pipe (FIFO)"
    case "folder":
      try makeFolder(URL(fileURLWithPath: path))
      phrase = "is a folder"
    case "socket":
      #expect(Self.makeSocket(path))
      phrase = "is a socket"
    case "device":
      // Only a privileged user can make devices.
      guard mknod(path, S_IFCHR | 0o600, 0x0105) == 0 else { return }
      phrase = "is a device"
    default:
      try FileManager.default.createSymbolicLink(
        at: URL(fileURLWithPath: path), withDestinationURL: folder.file("nowhere"))
      phrase = "is a symbolic link"
    }
    let model = SampleStore.model()
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let copy = folder.file("copy.sqlite")
    let actions: [() throws -> Void] = [
      { try OpenStore(place, model).close() },
      { try OpenStore(place, model, options: [NSReadOnlyPersistentStoreOption: true]).close() },
      { _ = try NSPersistentStoreCoordinator.verifyPersistentStore(at: place) },
      { _ = try NSPersistentStoreCoordinator.cachedModel(ofStoreAt: place) },
      {
        _ = try NSPersistentStoreCoordinator.metadataForPersistentStore(
          ofType: NSSQLiteStoreType, at: place)
      },
      {
        try coordinator.replacePersistentStore(
          at: copy, withPersistentStoreFrom: place, ofType: NSSQLiteStoreType)
      },
      {
        try NSPersistentStoreCoordinator.setMetadata(
          [:], forPersistentStoreOfType: NSSQLiteStoreType, at: place)
      },
      { try coordinator.destroyPersistentStore(at: place, ofType: NSSQLiteStoreType) },
    ]
    for (number, action) in actions.enumerated() {
      let error = failure { try action() }
      #expect(error?.localizedDescription.contains(phrase) == true, "\(number): \(error as Any)")
    }
    #expect(!FileManager.default.fileExists(atPath: copy.path))
    #expect((try? FileManager.default.attributesOfItem(atPath: path)) != nil)
  }

  @Test(
    "An atomic store or a model that is not a regular file throws an error that says so",
    arguments: ["pipe", "folder", "socket"])
  func otherFiles(kind: String) throws {
    let place = folder.file("place")
    switch kind {
    case "pipe": makePipe(place.path)
    case "folder": try makeFolder(place)
    default: #expect(Self.makeSocket(place.path))
    }
    if kind == "folder" {
      try Data("kept".utf8).write(to: place.appendingPathComponent("kept"))
    }
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: SampleStore.model())
    for type in [NSXMLStoreType, NSBinaryStoreType] {
      for action in [
        {
          _ = try coordinator.addPersistentStore(
            ofType: type, configurationName: nil, at: place, options: nil)
        },
        { try coordinator.destroyPersistentStore(at: place, ofType: type) },
      ] {
        let error = failure { try action() }
        #expect(error?.localizedDescription.contains("it is a") == true, "\(error as Any)")
      }
    }
    #expect((try? FileManager.default.attributesOfItem(atPath: place.path)) != nil)
    if kind == "folder" {
      #expect(try FileManager.default.contentsOfDirectory(atPath: place.path) == ["kept"])
      return
    }
    let error = failure { _ = try NSManagedObjectModel(validating: place) }
    #expect(error?.localizedDescription.contains("not a plain file") == true)
  }

  @Test("An abandoned migration draft is removed, and files of other programs beside it remain")
  func drafts() throws {
    try makeElsewhere(elsewhere)
    let before = try content()
    let prefix = folder.file(".store.sqlite.migration-").path
    try makeFolder(URL(fileURLWithPath: prefix + "old/.draft_SUPPORT/_EXTERNAL_DATA"))
    for file in ["draft.sqlite", "draft.sqlite-wal", ".draft_SUPPORT/_EXTERNAL_DATA/\(name)"] {
      try Data("draft".utf8).write(to: URL(fileURLWithPath: prefix + "old/" + file))
    }
    try makeElsewhere(URL(fileURLWithPath: prefix + "mine"))
    try makeFolder(URL(fileURLWithPath: prefix + "linked"))
    // The store that a link in a draft leads to has a value file.
    let values = support(of: url).appendingPathComponent("_EXTERNAL_DATA")
    for place in [values, URL(fileURLWithPath: prefix + "store")] { try makeFolder(place) }
    try Data("kept".utf8).write(to: values.appendingPathComponent(name))
    for (link, target) in [
      ("link", elsewhere), ("linked/.draft_SUPPORT", elsewhere), ("store/finished", url),
    ] {
      try FileManager.default.createSymbolicLink(
        at: URL(fileURLWithPath: prefix + link), withDestinationURL: target)
    }
    makePipe(prefix + "pipe")
    let other = SampleStore.model()
    other.entitiesByName["Fan"]?.properties.append(
      SampleStore.attribute("note", .stringAttributeType))
    try OpenStore(
      url, other,
      options: [
        NSMigratePersistentStoresAutomaticallyOption: true,
        NSInferMappingModelAutomaticallyOption: true,
      ]
    ).close()
    #expect(!FileManager.default.fileExists(atPath: prefix + "old"))
    #expect(
      Set(try FileManager.default.subpathsOfDirectory(atPath: prefix + "mine")).count
        == before.count)
    #expect(try content() == before)
    #expect(try FileManager.default.contentsOfDirectory(atPath: values.path) == [name])
  }

  /// Makes a socket file. `mknod` also accepts paths that are too long for `bind`.
  private static func makeSocket(_ path: String) -> Bool {
    mknod(path, S_IFSOCK | 0o600, 0) == 0
  }
}
