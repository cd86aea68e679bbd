import CoreData
import FixtureSupport

/// Opens randomly damaged stores, called mutants, like those from an untrusted source. Each must be
/// read, or cause an error that identifies the file, in bounded time and memory.
///
/// `fuzz --runs 10000 --seed 1`; `--only 4711` repeats one mutant. A mutant is identified by seed
/// and number, and is the same each time except for UUIDs that the library makes: names of stores
/// and of external files.
enum FuzzTest {
  /// The time limit for one mutant, in seconds.
  private static let timeLimit = 60.0

  static func run(_ arguments: Arguments) throws {
    try run(arguments) { try FuzzLoop(seed: $0).run($1) }
  }

  /// Runs mutants in child processes, which run the command of the arguments.
  ///
  /// - Parameter loop: Runs a range of mutants with a seed, and prints a line before each.
  static func run(
    _ arguments: Arguments, _ loop: (Int, ClosedRange<Int>) throws -> Void
  ) throws {
    let runs = try arguments.number("runs", 10_000)
    let seed = try arguments.number("seed", 1)
    let only = try arguments.number("only", -1)
    try requireDeterministicHashing()
    if only >= 0 { return try loop(seed, only...only) }
    if arguments.text("part", "") == "child" {
      let from = try arguments.number("from", 0)
      return try loop(seed, from...(runs - 1))
    }
    var from = 0
    var failures: [String] = []
    let most = try arguments.number("failures", 1)
    while true {
      do {
        Report.line(try watch(arguments.name, from: from, runs, seed))
        break
      } catch let lost as Lost {
        failures.append(lost.text)
        Report.error(lost.text)
        // Continues with the mutants after the one that failed.
        guard failures.count < most,
          let number = lost.text.split(separator: " mutant ").dropFirst().first?
            .prefix(while: \.isNumber), let last = Int(number), last + 1 < runs
        else { break }
        from = last + 1
      }
    }
    try Lost.unless(failures.isEmpty, failures.joined(separator: "\n"))
  }

  /// Restarts this program unless dictionaries have the same order in each run.
  private static func requireDeterministicHashing() throws {
    let variable = "SWIFT_DETERMINISTIC_HASHING"
    if getenv(variable) != nil { return }
    setenv(variable, "1", 1)
    var words: [UnsafeMutablePointer<CChar>?] = CommandLine.arguments.map { strdup($0) }
    words.append(nil)
    execv("/proc/self/exe", words)
    throw Lost("this program cannot be restarted: \(String(cString: strerror(errno)))")
  }

  /// Runs the mutants from number `from` on, in another process.
  private static func watch(
    _ program: String, from: Int, _ runs: Int, _ seed: Int
  ) throws -> String {
    let child = try ChildProcess([
      program, "--part", "child", "--from", "\(from)", "--runs", "\(runs)", "--seed", "\(seed)",
    ])
    var count = 0
    var since = Date()
    while child.isRunning {
      usleep(100_000)
      let now = child.lines.count
      if now > count { (count, since) = (now, Date()) }
      if Date().timeIntervalSince(since) > timeLimit {
        child.kill()
        _ = child.wait()
        throw Lost("seed \(seed): \(child.lines.last ?? "the start") does not end")
      }
    }
    let code = child.wait()
    try Lost.unless(
      code == 0,
      "seed \(seed): \(child.lines.last ?? "the start") ended the process"
        + " (\(code.map { "code \($0)" } ?? "a signal"))")
    return child.lines.last ?? ""
  }
}

/// Runs the mutants one after the other in one process.
struct FuzzLoop {
  /// The memory limit of the process in bytes.
  private static let memory = 2 << 30

  let seed: Int

  func run(_ numbers: ClosedRange<Int>) throws {
    let seeds = try FuzzSeeds()
    let folder = try TemporaryFolder()
    var refused = 0
    var errors: [Int: Int] = [:]
    for number in numbers {
      var random = SeededGenerator(seed: UInt64(truncatingIfNeeded: seed &* 1_000_003 &+ number))
      try folder.empty()
      let chosen = seeds.all[Int.random(in: 0..<seeds.all.count, using: &random)]
      let url = folder.file(FuzzSeeds.fileName)
      try chosen.write(to: url)
      let mutation = try FuzzMutation.all.randomElement(using: &random)
        .map { try $0.apply(url, &random) }
      Report.line("mutant \(number) (\(chosen.name), \(mutation ?? ""))")
      do {
        let use = FuzzUse(url: url, model: chosen.model)
        let used = try use.run(&random)
        refused += used.isEmpty ? 0 : 1
        for code in used { errors[code, default: 0] += 1 }
      } catch let lost as Lost {
        throw Lost("mutant \(number) of seed \(seed): \(lost.text)")
      }
      try Lost.unless(
        ProcessMemory.peak < Self.memory,
        "mutant \(number) of seed \(seed): \(ProcessMemory.peak >> 20) MB of memory"
      )
    }
    let codes = errors.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
    Report.line(
      "fuzz: \(numbers.count) mutants of \(seeds.all.count) stores, \(refused) with errors"
        + " (\(codes.joined(separator: ", "))); at most \(ProcessMemory.peak >> 20) MB of memory")
  }
}
