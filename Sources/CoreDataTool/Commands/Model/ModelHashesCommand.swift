import ArgumentParser
import CoreData
import StoreInspection

/// `coredata model hashes`: prints the version hashes of a model's entities.
struct ModelHashesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hashes",
    abstract: "Prints the version hash of each entity: its name, a tab, 64 hexadecimal digits.",
    discussion: """
      A store opens with a model whose hashes are those recorded in the store. The lines are sorted by the \
      bytes of the names, and nothing else is printed:

        diff <(coredata model hashes Old.momd) <(coredata model hashes Contacts.sqlite)
      """
  )

  @OptionGroup var arguments: ModelArguments

  func run() throws {
    let hashes = try arguments.load().model.entityVersionHashesByName
    for (name, hash) in hashes.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
      let digits = hash.map { String(format: "%02x", $0) }.joined()
      Console.current.output("\(name.onOneLine)\t\(digits)\n")
    }
  }
}
