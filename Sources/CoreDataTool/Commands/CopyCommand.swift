import ArgumentParser
import CoreData
import StoreInspection

/// `coredata copy`: copies a store, which may be in use.
struct CopyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "copy",
    abstract: "Copies a store as of one moment, even while other processes write to it.",
    discussion: """
      The copy includes the write-ahead log and the files beside the store. Other processes do not have to wait.
      Exit codes: 0 everything was copied; 65 the copy lacks values because their files are missing beside the \
      store or are not regular files. The command lists these files.
      """,
    aliases: ["backup"]
  )

  @Argument(help: "The store's file.", completion: .file())
  var store: String

  @Argument(help: "The file of the copy, or a folder to put it in.", completion: .file())
  var to: String

  @Flag(help: "Replace an existing store at the destination.")
  var replace = false

  @OptionGroup var readOnly: ReadOnlyOptions
  @OptionGroup var links: LinkArguments
  @OptionGroup var writing: WriteArguments

  func run() throws {
    // A missing source would otherwise be reported only after the destination was checked.
    try OpenedStore.requireFile(store)
    // If the destination is a link to a folder, resolve it before the copy's name is appended, because the resulting
    // path may be a link too.
    var target = URL(fileURLWithPath: try links.place(to))
    let manager = FileManager.default
    if FileKind(path: target.path) == .folder {
      target.appendPathComponent(URL(fileURLWithPath: store).lastPathComponent)
      target = URL(fileURLWithPath: try links.place(target.path))
    }
    if manager.fileExists(atPath: target.path) {
      guard replace else {
        throw Diagnostic(
          .usage, "'\(target.path)' already exists",
          details: ["Use --replace to replace it, if it is a store."])
      }
      // Replacing a store counts as writing to it.
      try writing.requireUnprotected(target.path)
    }
    try LeftLog.moving(of: store, model: nil, unless: readOnly.immutable) {
      try readOnly.apply {
        try reportingStoreErrors {
          // An empty model suffices, because the rows are copied without being interpreted.
          try NSPersistentStoreCoordinator(managedObjectModel: NSManagedObjectModel())
            .replacePersistentStore(
              at: target, withPersistentStoreFrom: URL(fileURLWithPath: store),
              ofType: NSSQLiteStoreType)
        }
      }
    }
    let size = (try? manager.attributesOfItem(atPath: target.path))?[.size] as? NSNumber
    Console.current.output(
      "\(target.path.onOneLine): \(CountText.bytes(size?.intValue ?? 0))\n")
    // Keep the copy: it contains everything that could be read.
    if let missing = try Diagnostic.missingFiles(of: target) { throw missing }
  }
}
