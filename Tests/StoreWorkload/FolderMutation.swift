import CoreData
import FixtureSupport

/// A change that another user makes to the folder of a store.
struct FolderMutation {
  let store: URL
  let outside: OutsideFiles

  private var home: URL { store.deletingLastPathComponent() }
  private var support: URL { home.appendingPathComponent(".store_SUPPORT") }
  private var data: URL { support.appendingPathComponent("_EXTERNAL_DATA") }

  /// - Returns: A description of the change.
  mutating func apply(_ random: inout SeededGenerator) throws -> String {
    var texts: [String] = []
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      switch Int.random(in: 0..<9, using: &random) {
      case 0, 1: texts.append(linkFolder(&random))
      case 2: texts.append(try replaceFile(&random))
      case 3: texts.append(replaceSideFile(&random))
      case 4: texts.append(try addNames(&random))
      case 5: texts.append(changeRights(&random))
      case 6: texts.append(prepareCopy(&random))
      case 7: texts.append(leaveJournal(&random))
      default: texts.append(try leaveDrafts(&random))
      }
    }
    return texts.joined(separator: ", ")
  }

  /// The kind of item that replaces a file or folder.
  private enum Kind: String, CaseIterable {
    case linkToFile, linkToFolder, linkToNothing, linkToItself, pipe, socket, device, folder

    func make(_ place: URL, _ outside: OutsideFiles) {
      // No parent of `place` is a link, so this cannot remove a file outside the store's folder.
      try? FileManager.default.removeItem(at: place)
      switch self {
      case .linkToFile: symlink(outside.url.path + "/letter.txt", place.path)
      case .linkToFolder: symlink(outside.url.path, place.path)
      case .linkToNothing: symlink(outside.url.path + "/nowhere", place.path)
      case .linkToItself: symlink(place.path, place.path)
      case .pipe: mkfifo(place.path, 0o600)
      case .socket: mknod(place.path, S_IFSOCK | 0o600, 0)
      // Make a device like /dev/zero, or a pipe if this user cannot make devices.
      case .device: if mknod(place.path, S_IFCHR | 0o600, 0x0105) != 0 { mkfifo(place.path, 0o600) }
      case .folder:
        mkdir(place.path, 0o700)
        mkdir(place.path + "/" + OutsideFiles.uuid(5), 0o700)
      }
    }
  }

  /// Returns whether a path is a folder. A link that an earlier mutation made does not count, because nothing may be
  /// changed through it.
  private func isFolder(_ place: URL) -> Bool {
    var status = stat()
    return lstat(place.path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  private func linkFolder(_ random: inout SeededGenerator) -> String {
    let isData = Bool.random(using: &random)
    if isData { mkdir(support.path, 0o700) }
    let place = isData && isFolder(support) ? data : support
    let kind: Kind =
      Bool.random(using: &random)
      ? .linkToFolder : Kind.allCases.randomElement(using: &random) ?? .pipe
    kind.make(place, outside)
    return "\(place.lastPathComponent) \(kind)"
  }

  private func replaceFile(_ random: inout SeededGenerator) throws -> String {
    guard isFolder(support), isFolder(data) else { return "no files" }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: data.path))?.sorted() ?? []
    guard let place = names.indices.randomElement(using: &random) else { return "no files" }
    let kind = Kind.allCases.randomElement(using: &random) ?? .pipe
    kind.make(data.appendingPathComponent(names[place]), outside)
    return "value \(place) \(kind)"
  }

  private func replaceSideFile(_ random: inout SeededGenerator) -> String {
    let suffix = ["-wal", "-shm", "-journal"].randomElement(using: &random) ?? "-wal"
    let kind = Kind.allCases.randomElement(using: &random) ?? .pipe
    kind.make(URL(fileURLWithPath: store.path + suffix), outside)
    return "\(suffix) \(kind)"
  }

  private func addNames(_ random: inout SeededGenerator) throws -> String {
    mkdir(support.path, 0o700)
    guard isFolder(support) else { return "no names" }
    mkdir(data.path, 0o700)
    guard isFolder(data) else { return "no names" }
    let names: [[UInt8]] = [
      Array(OutsideFiles.uuid(6).utf8), Array((OutsideFiles.uuid(7) + ".new").utf8),
      Array(OutsideFiles.uuid(8).lowercased().utf8), Array("a\nb".utf8), [0xff, 0xfe],
      Array(String(repeating: "x", count: 255).utf8), Array("..new".utf8), Array("-rf".utf8),
    ]
    for name in names where Bool.random(using: &random) {
      let path = Array(data.path.utf8) + [0x2f] + name + [0]
      path.withUnsafeBytes { bytes in
        guard let path = bytes.baseAddress?.assumingMemoryBound(to: CChar.self) else { return }
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0o600)
        guard file >= 0 else { return }
        var times = [
          timespec(tv_sec: 1_500_000_000, tv_nsec: 0), timespec(tv_sec: 1_500_000_000, tv_nsec: 0),
        ]
        futimens(file, &times)
        close(file)
      }
    }
    return "names"
  }

  private func changeRights(_ random: inout SeededGenerator) -> String {
    let place = [home, support, data, store].randomElement(using: &random) ?? home
    let mode: mode_t = [0, 0o100, 0o400, 0o500, 0o600].randomElement(using: &random) ?? 0
    var status = stat()
    guard place != data || isFolder(support), lstat(place.path, &status) == 0,
      status.st_mode & S_IFMT != S_IFLNK
    else { return "no rights" }
    chmod(place.path, mode)
    return "\(place.lastPathComponent) \(String(mode, radix: 8))"
  }

  /// Puts something at the path of a later copy of the store, or of its side files.
  private func prepareCopy(_ random: inout SeededGenerator) -> String {
    let names = ["", "-wal", "-shm", "-journal"].map { "copy.sqlite" + $0 } + [".copy_SUPPORT"]
    let name = names.randomElement(using: &random) ?? "copy.sqlite"
    let kind = Kind.allCases.randomElement(using: &random) ?? .pipe
    kind.make(home.appendingPathComponent(name), outside)
    return "\(name) \(kind)"
  }

  /// Leaves a journal that refers to an outside file, which SQLite would remove with the journal (`readSuperJournal` in
  /// its pager.c).
  private func leaveJournal(_ random: inout SeededGenerator) -> String {
    func bytes(_ number: Int) -> [UInt8] {
      withUnsafeBytes(of: UInt32(truncatingIfNeeded: number).bigEndian) { Array($0) }
    }
    let name = Array((outside.url.path + "/letter.txt").utf8)
    let begin: [UInt8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]
    let sum = name.reduce(0) { $0 + Int(Int8(bitPattern: $1)) }
    let place = Bool.random(using: &random) ? store.lastPathComponent : "copy.sqlite"
    let journal = home.appendingPathComponent(place + "-journal")
    try? FileManager.default.removeItem(at: journal)
    try? Data(name + bytes(name.count) + bytes(sum) + begin)
      .write(to: journal, options: .withoutOverwriting)
    return "\(journal.lastPathComponent) with a name"
  }

  private func leaveDrafts(_ random: inout SeededGenerator) throws -> String {
    let prefix = home.path + "/.\(FuzzSeeds.fileName).migration-"
    for name in ["lock", "draft", "link"] where Bool.random(using: &random) {
      let kind = Kind.allCases.randomElement(using: &random) ?? .folder
      kind.make(URL(fileURLWithPath: prefix + name), outside)
    }
    return "drafts"
  }
}
