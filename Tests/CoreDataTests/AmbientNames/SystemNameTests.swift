import CoreData
import Foundation
import Testing

@testable import OSNames

@Suite("APIs of Apple's systems that model layers use besides Core Data")
struct SystemNameTests {
  @Test("A lock protects its state, and one thread at a time holds it")
  func lock() async {
    let lock = OSAllocatedUnfairLock(initialState: 0)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask { for _ in 0..<1_000 { lock.withLock { $0 += 1 } } }
      }
    }
    #expect(lock.withLock { $0 } == 8_000)
    #expect(lock.withLockUnchecked { _ in lock.withLockIfAvailable { $0 } } == nil)
    let plain = OSAllocatedUnfairLock()
    plain.lock()
    #expect(!plain.lockIfAvailable())
    plain.unlock()
    #expect(plain.withLock { 1 } == 1)
  }

  @Test("Values marked private are not logged")
  func privacy() {
    let message: OSLogMessage =
      "a \(1) b \("text", privacy: .public) c \(2.5, privacy: .private) d \(3, privacy: .sensitive)"
    #expect("\(message)".contains("a 1 b text c <private> d <private>"))
    let formed: OSLogMessage =
      "\(1.239, format: .fixed(precision: 2)) \(255, format: .hex(includePrefix: true), privacy: .public)"
    #expect("\(formed)".contains("1.24 0xff"))
    let negative: OSLogMessage =
      "\(Int8(-2), format: .hex(includePrefix: true)) \(-8, format: .octal) \(-8, format: .decimal)"
    #expect("\(negative)".contains("0xfe 1777777777777777777770 -8"))
    Logger(.disabled).error("not seen")
    #expect(NSEC_PER_SEC == 1_000_000_000)
    let logger = Logger(subsystem: "org.example", category: "test")
    logger.debug("\(1, privacy: .public)")
    logger.log(level: .error, "said")
    os_log("%{public}d of %d", log: .default, type: .debug, 1, 2)
    // If the braces were not removed, the integer would be read as an object.
    os_log("%{time_t}d %{public}@", log: .default, type: .debug, 1, "text" as NSString)
  }

  @Test(
    "Annotations in braces are removed from a format",
    arguments: [
      ("%{public}s %d", "%s %d"), ("%%{public}s", "%%{public}s"), ("%%%{time_t}d", "%%%d"),
      ("100%% %{private}@{x}", "100%% %@{x}"), ("%", "%"),
    ])
  func annotations(format: String, plain: String) {
    #expect(withoutAnnotations(format) == plain)
  }

  @Test("User defaults support key-value coding")
  func defaults() throws {
    let name = "SystemNameTests-\(UUID().uuidString)"
    let defaults = try #require(UserDefaults(suiteName: name))
    defer { defaults.removePersistentDomain(forName: name) }
    defaults.setValue(3, forKey: "a")
    #expect(defaults.value(forKey: "a") as? Int == 3)
    defaults.setValue(nil, forKey: "a")
    #expect(defaults.value(forKey: "a") == nil)
  }

  @Test("An ID made without an object is a temporary ID that equals only itself")
  func identifier() {
    let ids = [NSManagedObjectID(), NSManagedObjectID()]
    #expect(ids[0] == ids[0] && ids[0] != ids[1])
    #expect(ids[0].isTemporaryID && ids[0].persistentStore == nil)
    #expect(Set(ids).count == 2)
  }
}
