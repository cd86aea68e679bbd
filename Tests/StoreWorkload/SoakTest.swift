import CoreData

/// Several processes save to one store as fast as they can. With a write-ahead log, one of them makes
/// a checkpoint after each of its saves. No save may be missing at the end.
///
/// Run it with `soak --saves 10000`. With `--history 1`, the store keeps history, and each process,
/// including this one, follows it.
enum SoakTest {
  static func run(_ arguments: Arguments) throws {
    let saves = try arguments.number("saves", 10_000)
    for journal in arguments.text("journals", "wal,delete").split(separator: ",") {
      try race(journal: String(journal), times: arguments.number("races", 20))
      for history in arguments.text("history", "0,1").split(separator: ",") {
        try soak(journal: String(journal), saves: saves, history: history == "1")
      }
    }
  }

  private static func child(
    _ url: URL, _ name: String, saves: Int, _ journal: String, _ more: [String] = []
  ) throws -> ChildProcess {
    try ChildProcess(
      [
        "soak-loop", "--store", url.path, "--name", name, "--saves", "\(saves)", "--journal",
        journal,
      ] + more)
  }

  private static func end(_ children: [ChildProcess]) throws {
    for child in children {
      let code = child.wait()
      try Lost.unless(code == 0, "a process ended with \(code.map(String.init) ?? "a signal")")
    }
  }

  /// Starts processes that create the same store at the same time. They must all save to one store.
  private static func race(journal: String, times: Int) throws {
    for time in 0..<times {
      let folder = try TemporaryFolder()
      let url = folder.file("race.sqlite")
      let children = try ["a", "b", "c"].map { try child(url, $0, saves: 2, journal) }
      try end(children)
      let counters = try counters(url)
      try Lost.unless(
        counters == ["a": 2, "b": 2, "c": 2], "race \(time) (\(journal)): there is \(counters)")
    }
    Report.line("soak: \(times) times three processes created a store concurrently (\(journal))")
  }

  private static func counters(_ url: URL) throws -> [String: Int] {
    let store = try WorkloadStore(url)
    defer { try? store.close() }
    return try store.context.performAndWait {
      var counters: [String: Int] = [:]
      for counter in try store.context.all("Counter") {
        counters[counter.value(forKey: "name") as? String ?? ""] =
          counter.value(forKey: "value") as? Int
      }
      return counters
    }
  }

  private static func soak(journal: String, saves: Int, history: Bool) throws {
    let folder = try TemporaryFolder()
    let url = folder.file("soak.sqlite")
    var options = WorkloadStore.options(journal: journal)
    if history { options[NSPersistentHistoryTrackingKey] = true as NSNumber }
    let store = try WorkloadStore(url, options)
    var follower = HistoryFollower(of: store)
    try store.context.performAndWait {
      store.context.insert("Counter", ["name": "shared", "value": 0])
      store.context.transactionAuthor = "maker"
      try store.context.save()
    }
    let began = Date()
    let few = max(saves / 5, 1)
    let more = history ? ["--history", "1"] : []
    let children = [
      try child(url, "first", saves: saves, journal, more),
      try child(url, "second", saves: saves, journal, more),
      try child(
        url, "third", saves: few, journal, more + (journal == "wal" ? ["--checkpoints", "1"] : [])),
    ]
    while history, children.contains(where: \.isRunning) {
      try follower.follow()
      usleep(20_000)
    }
    try end(children)
    if history {
      try follower.follow()
      let seen = ["maker": 1, "first": saves, "second": saves, "third": few]
      try Lost.unless(follower.counts == seen, "\(follower.counts) were followed, not \(seen)")
    }
    try store.close()
    let expected = [
      "first": saves, "second": saves, "third": few, "shared": 2 * saves + few,
    ]
    let counters = try counters(url)
    try Lost.unless(counters == expected, "there is \(counters), expected \(expected)")
    let plain = try PlainSQL(url)
    for (name, count) in expected where name != "shared" {
      let rows = try plain.texts(
        "SELECT COUNT(DISTINCT ZNUMBER) || ' of ' || COUNT(*) FROM ZLINE WHERE ZTEXT = '\(name)'")
      try Lost.unless(rows == ["\(count) of \(count)"], "rows of \(name): \(rows)")
    }
    if history {
      try plain.requireHistory(ofLines: ["first": saves, "second": saves, "third": few])
    }
    try plain.requireWhole()
    let report = try NSPersistentStoreCoordinator.verifyPersistentStore(at: url)
    try Lost.unless(report.findings.isEmpty, "\(report.findings)")
    let seconds = String(format: "%.1f", Date().timeIntervalSince(began))
    Report.line(
      "soak: \(2 * saves + few) saves of three processes (\(journal)\(history ? ", history" : ""))"
        + " in \(seconds) s, none lost")
  }
}
