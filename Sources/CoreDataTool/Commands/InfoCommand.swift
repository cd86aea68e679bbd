import ArgumentParser
import CoreData
import StoreInspection

/// `coredata info`: shows what a store contains.
struct InfoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info",
    abstract: "Shows a store's entities and their row counts, or the properties of one entity."
  )

  @OptionGroup var arguments: StoreArguments
  @OptionGroup var readOnly: ReadOnlyOptions

  @Argument(help: "Entity whose properties to show.")
  var entity: String?

  func run() throws {
    try arguments.reading(isImmutable: readOnly.immutable) { opened in
      if let entity {
        let entity = try opened.entity(named: entity)
        opened.noteModel()
        PropertyTable(entity: entity).print()
      } else {
        // The lines below contain the model, so only the warnings are notes.
        opened.noteWarnings()
        try reportingStoreErrors {
          printStore(opened)
          try opened.perform {
            try EntityTable(opened.model, ofConfiguration: opened.configurations.first)
              .print(in: $0)
          }
        }
      }
    }
  }

  private func printStore(_ opened: OpenedStore) {
    var lines = [("store", opened.path.onOneLine)]
    if let size = opened.fileSize { lines.append(("size", CountText.bytes(size))) }
    lines.append(("model", opened.source.text.onOneLine))
    if !opened.configurations.isEmpty {
      lines.append(("configuration", opened.configurations.joined(separator: " or ").onOneLine))
    }
    if let store = opened.coordinator.persistentStores.first {
      let metadata: [String: Any] = store.metadata
      lines.append(("UUID", store.identifier.onOneLine))
      if let version = metadata[NSPersistenceFrameworkVersionKey] as? NSNumber {
        lines.append(("framework", "version \(version.stringValue)"))
      }
      let versions = metadata[NSStoreModelVersionIdentifiersKey] as? [String] ?? []
      let named = versions.filter { !$0.isEmpty }.joined(separator: ", ")
      if !named.isEmpty { lines.append(("version", named.onOneLine)) }
    }
    let width = max(11, lines.map { $0.0.count + 2 }.max() ?? 0)
    for (name, value) in lines {
      let padding = String(repeating: " ", count: width - name.count)
      Console.current.output(name + padding + value + "\n")
    }
    Console.current.output("\n")
  }
}
