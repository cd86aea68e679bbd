import CoreData
import Synchronization

/// Repeatedly exchanges the folder of external files with a link that leads outside, while the
/// store is used: code that checks a path and uses it afterwards can be misled in between.
final class FolderRace: Sendable {
  private let isOver = Atomic<Bool>(false)
  private let ended = DispatchSemaphore(value: 0)
  private let hasEnded = Atomic<Bool>(false)

  init(store: URL, outside: OutsideFiles) {
    let support = store.deletingLastPathComponent().appendingPathComponent(".store_SUPPORT").path
    let decoy = outside.url.path
    Thread.detachNewThread { [self] in
      while !isOver.load(ordering: .relaxed) {
        Self.exchange(in: support, decoy)
        usleep(50)
      }
      ended.signal()
    }
  }

  func end() {
    guard !hasEnded.exchange(true, ordering: .relaxed) else { return }
    isOver.store(true, ordering: .relaxed)
    ended.wait()
  }

  private static func exchange(in support: String, _ decoy: String) {
    // A mutation may have replaced the support folder with a link. Files must not be renamed through it.
    let folder = open(support, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard folder >= 0 else { return }
    defer { close(folder) }
    // The real folder is moved aside, and a link takes its name.
    guard renameat(folder, "_EXTERNAL_DATA", folder, "aside") == 0 else { return }
    symlinkat(decoy, folder, "_EXTERNAL_DATA")
    usleep(50)
    unlinkat(folder, "_EXTERNAL_DATA", 0)
    renameat(folder, "aside", folder, "_EXTERNAL_DATA")
  }
}
