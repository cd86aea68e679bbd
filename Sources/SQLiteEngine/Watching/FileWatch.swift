import StoreEngine

#if os(Linux) || os(Android)
  import Foundation

  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #elseif canImport(Android)
    import Android
  #endif

  /// Notifies listeners when files are written, with `inotify`: one descriptor for the whole process, and one watch for
  /// each folder, however many stores are in it.
  ///
  /// Its state is confined to its queue.
  final class FileWatch: @unchecked Sendable {
    static let shared = FileWatch()

    private let queue = DispatchQueue(label: "CoreData.files")
    private var descriptor: Int32 = -1
    private var source: (any DispatchSourceRead)?
    /// The listeners by the number that the system assigns to a folder.
    private var folders: [Int32: [Listener]] = [:]
    private var lastListener = 0

    private struct Listener {
      let number: Int
      /// The observed names in the folder.
      let names: Set<String>
      let didWrite: @Sendable () -> Void
    }

    /// The observation of a file, which ends with this object.
    final class Interest: Sendable {
      private let folder: Int32
      private let listener: Int
      private let watch: FileWatch

      fileprivate init(_ folder: Int32, _ listener: Int, _ watch: FileWatch) {
        self.folder = folder
        self.listener = listener
        self.watch = watch
      }

      /// Whether the system still watches the folder. It ends the watch when the folder is removed.
      var isActive: Bool { watch.queue.sync { watch.folders[folder] != nil } }

      deinit {
        let (folder, listener, watch) = (folder, listener, watch)
        // Dispatch asynchronously, because the object may be released on the queue itself.
        watch.queue.async { watch.forget(listener, in: folder) }
      }
    }

    /// Calls `didWrite` soon after a database's file, its log or its journal was written, created, removed or moved, or
    /// closed by a connection that could write. Reading through an open connection causes no call. Also calls it if the
    /// system lost events, or if the folder was removed.
    ///
    /// - Parameter didWrite: Called on a queue that must not be blocked.
    /// - Returns: Nil if the system cannot watch the folder.
    func interest(in path: String, _ didWrite: @escaping @Sendable () -> Void) -> Interest? {
      let file = URL(fileURLWithPath: path)
      let name = file.lastPathComponent
      return queue.sync {
        guard openDescriptor() else { return nil }
        let folder = inotify_add_watch(
          descriptor, file.deletingLastPathComponent().path, Self.events)
        guard folder >= 0 else {
          Log.storeNotice(
            "\(path) is polled, because its folder cannot be watched:"
              + " \(String(cString: strerror(errno)))")
          return nil
        }
        lastListener += 1
        folders[folder, default: []].append(
          Listener(
            number: lastListener, names: [name, name + "-wal", name + "-journal"],
            didWrite: didWrite))
        return Interest(folder, lastListener, self)
      }
    }

    /// The events of a commit: SQLite writes to the log or the file, creates or removes a journal, and the last
    /// connection that is closed removes the log. The `-shm` file is written in memory, without an event.
    ///
    /// Changes to file attributes are omitted, because SQLite sets the owner each time that root opens a file.
    private static let events =
      UInt32(IN_MODIFY) | UInt32(IN_CREATE) | UInt32(IN_DELETE) | UInt32(IN_MOVED_TO)
      | UInt32(IN_MOVED_FROM) | UInt32(IN_CLOSE_WRITE)

    private func openDescriptor() -> Bool {
      if source != nil { return true }
      // The descriptor is read until there are no more events, which must not block the queue.
      descriptor = inotify_init1(Int32(O_NONBLOCK) | Int32(O_CLOEXEC))
      guard descriptor >= 0 else { return false }
      let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
      source.setEventHandler { [weak self] in self?.read() }
      source.activate()
      self.source = source
      return true
    }

    private func forget(_ listener: Int, in folder: Int32) {
      folders[folder]?.removeAll { $0.number == listener }
      if folders[folder]?.isEmpty == true {
        folders[folder] = nil
        inotify_rm_watch(descriptor, folder)
      }
    }

    /// Reads all available events, and notifies each listener once.
    private func read() {
      var notified: [Int: Listener] = [:]
      var buffer = [UInt8](repeating: 0, count: 16_384)
      while true {
        let count = buffer.withUnsafeMutableBytes {
          Foundation.read(descriptor, $0.baseAddress, $0.count)
        }
        guard count > 0 else { break }
        buffer.withUnsafeBytes { bytes in
          var place = 0
          while place + Self.headerSize <= count {
            let folder = bytes.loadUnaligned(fromByteOffset: place, as: Int32.self)
            let event = bytes.loadUnaligned(fromByteOffset: place + 4, as: UInt32.self)
            let length = Int(bytes.loadUnaligned(fromByteOffset: place + 12, as: UInt32.self))
            let start = place + Self.headerSize
            // The system pads the name with zeros (inotify(7)).
            let name = String(
              decoding: bytes[start..<min(start + length, count)].prefix { $0 != 0 }, as: UTF8.self)
            place = start + length
            // Some events were lost, or the folder was removed, so all listeners must check.
            let isAll =
              event & (UInt32(IN_Q_OVERFLOW) | UInt32(IN_IGNORED) | UInt32(IN_UNMOUNT)) != 0
            let listeners = folder < 0 ? folders.values.flatMap { $0 } : folders[folder] ?? []
            for listener in listeners where isAll || listener.names.contains(name) {
              notified[listener.number] = listener
            }
            // The system has ended this watch. A folder that is created later at the same path needs a new watch.
            if event & UInt32(IN_IGNORED) != 0 { folders[folder] = nil }
          }
        }
      }
      // Notifies each listener once, although a commit causes many events.
      for listener in notified.values { listener.didWrite() }
    }

    /// The size of an event without the name: folder, event, cookie, length of the name.
    private static let headerSize = 16
  }
#endif
