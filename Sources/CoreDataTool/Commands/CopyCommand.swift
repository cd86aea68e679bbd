import ArgumentParser
import CoreData
import StoreInspection

/// `coredata copy`: a copy of a store, which may be in use.
struct CopyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "copy",
    abstract: "Copies a store as it is at one moment, also while others write to it.",
    discussion: """
      What is in the write-ahead log and in files beside the store is part of the copy; nobody has \
      to wait for it.
      Exit codes: 0 all was copied; 65 values are missing in the copy, because their files are missing beside \
      the store or are no plain files. They are listed.
      """,
    aliases: ["backup"]
  )

  @Argument(help: "The store's file.", completion: .file())
  var store: String

  @Argument(help: "The copy's file, or a folder for it.", completion: .file())
  var to: String

  @Flag(help: "Put the copy in the place of a store that is there.")
  var replace = false

  @OptionGroup var readOnly: ReadOnlyOptions
  @OptionGroup var links: LinkArguments
  @OptionGroup var writing: WriteArguments

  func run() throws {
    try OpenedStore.requireFile(store)
    // A link to a folder is asked about before the copy's name in that folder is.
    var target = URL(fileURLWithPath: try links.place(to))
    let manager = FileManager.default
    if FileKind(path: target.path) == .folder {
      target.appendPathComponent(URL(fileURLWithPath: store).lastPathComponent)
      target = URL(fileURLWithPath: try links.place(target.path))
    }
    if manager.fileExists(atPath: target.path) {
      guard replace else {
        throw Diagnostic(
          .usage, "there is a file '\(target.path)' already",
          details: ["--replace puts the copy in its place, if it is a store."])
      }
      try writing.requireUnprotected(target.path)
    }
    try readOnly.apply {
      try reportingStoreErrors {
        try NSPersistentStoreCoordinator(managedObjectModel: NSManagedObjectModel())
          .replacePersistentStore(
            at: target, withPersistentStoreFrom: URL(fileURLWithPath: store),
            ofType: NSSQLiteStoreType)
      }
    }
    let size = (try? manager.attributesOfItem(atPath: target.path))?[.size] as? NSNumber
    Console.current.output(
      "\(target.path.onOneLine): \(CountText.bytes(size?.intValue ?? 0))\n")
    if let missing = try Diagnostic.missingFiles(of: target) { throw missing }
  }
}
