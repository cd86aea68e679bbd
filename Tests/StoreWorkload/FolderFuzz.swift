import CoreData
import FixtureSupport

/// Opens stores in folders that another user has prepared, with links, named pipes, devices,
/// sockets and folders in place of files, names and permissions of all kinds, and names that change
/// while the store is used. Whatever the program does with the store, files outside
/// the folder must not change, and nothing may block.
///
/// `fuzz-folders --runs 2000 --seed 1`; `--only 4711` repeats one run.
enum FolderFuzz {
  static func run(_ arguments: Arguments) throws {
    try FuzzTest.run(arguments) { try FolderFuzzLoop(seed: $0).run($1) }
  }
}

/// Runs the folders one after the other in one process.
struct FolderFuzzLoop {
  let seed: Int

  func run(_ numbers: ClosedRange<Int>) throws {
    let seeds = try FuzzSeeds()
    // Links and pipes matter most for stores with external files.
    let stores = seeds.all.filter { !$0.files.isEmpty } + seeds.all.prefix(6)
    let folder = try TemporaryFolder()
    var codes: [Int: Int] = [:]
    var races = 0
    for number in numbers {
      var random = SeededGenerator(seed: UInt64(truncatingIfNeeded: seed &* 1_000_033 &+ number))
      try Self.empty(folder)
      let chosen = stores[Int.random(in: 0..<stores.count, using: &random)]
      let outside = try OutsideFiles(in: folder.file("outside"))
      let home = folder.file("home")
      try FileManager.default.createDirectory(at: home, withIntermediateDirectories: false)
      let url = home.appendingPathComponent(FuzzSeeds.fileName)
      try chosen.write(to: url)
      var mutation = FolderMutation(store: url, outside: outside)
      let changes = try mutation.apply(&random)
      Report.line("mutant \(number) (\(chosen.name), \(changes))")
      do {
        var race: FolderRace?
        if Int.random(in: 0..<4, using: &random) == 0 {
          race = FolderRace(store: url, outside: outside)
          races += 1
        }
        defer { race?.end() }
        for code in try FuzzUse(url: url, model: chosen.model).run(&random) {
          codes[code, default: 0] += 1
        }
        for code in try FolderUse(url: url, model: chosen.model).run(&random) {
          codes[code, default: 0] += 1
        }
        race?.end()
        race = nil
        try outside.requireUnchanged()
      } catch let lost as Lost {
        throw Lost("mutant \(number) of seed \(seed): \(lost.text)")
      }
    }
    let texts = codes.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
    Report.line(
      "fuzz-folders: \(numbers.count) folders, \(races) with a race; errors"
        + " \(texts.joined(separator: ", "))")
  }

  /// Empties the folder, whatever the permissions of its contents.
  private static func empty(_ folder: TemporaryFolder) throws {
    for path in (try? FileManager.default.subpathsOfDirectory(atPath: folder.url.path)) ?? [] {
      let path = folder.url.path + "/" + path
      var status = stat()
      if lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR { chmod(path, 0o700) }
    }
    try folder.empty()
  }
}
