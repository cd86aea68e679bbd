import CoreData
import Foundation

/// Shows a list and runs the commands that are typed.
@main
struct ContactsApp {
  private static let help = """
    people | order | teams | customers   shows a list
    add …                                adds a row; the list shows its arguments
    delete ROW    move ROW TO            deletes or drags a row
    find TEXT     find                   shows rows with TEXT in a name, city or title; shows all
    jobs ROW                             shows the jobs of a customer
    undo          redo                   undoes the last change; redoes it
    quit
    """

  private let stack: CoreDataStack
  private let tableView = TerminalTable { print($0) }
  private var list: any ContactList

  static func main() {
    let arguments = CommandLine.arguments.dropFirst()
    let usage = "usage: contacts [STORE]\n\nWithout a store nothing is saved.\n\n\(help)"
    if arguments.contains("--help") {
      print(usage)
      return
    }
    if arguments.count > 1 || arguments.contains(where: { $0.hasPrefix("-") }) {
      FileHandle.standardError.write(Data("\(usage)\n".utf8))
      exit(64)
    }
    do {
      var app = try ContactsApp(
        CoreDataStack(storeURL: arguments.first.map { URL(fileURLWithPath: $0) }))
      try app.run()
    } catch {
      FileHandle.standardError.write(Data("contacts: \(Self.text(of: error))\n".utf8))
      exit(1)
    }
  }

  private init(_ stack: CoreDataStack) {
    self.stack = stack
    list = PeopleList(stack, tableView)
  }

  private mutating func run() throws {
    print("Type help for a list of commands.")
    try show(list)
    while let line = readLine() {
      let words = line.split(separator: " ").map(String.init)
      guard let command = words.first else { continue }
      if command == "quit" { break }
      do {
        try perform(command, Array(words.dropFirst()))
      } catch {
        print("  \(Self.text(of: error))")
      }
    }
  }

  private mutating func perform(_ command: String, _ words: [String]) throws {
    switch command {
    case "help": print(Self.help)
    case "people": try show(PeopleList(stack, tableView))
    case "order": try show(OrderedPeopleList(stack, tableView))
    case "teams": try show(TeamList(stack, tableView))
    case "customers": try show(CustomerList(stack, tableView))
    case "jobs":
      guard let customers = list as? CustomerList else {
        throw Refusal(description: "show the customers first")
      }
      try show(customers.jobs(number: try Self.number(words, 0)))
    case "add": try list.add(words)
    case "delete": try list.delete(number: try Self.number(words, 0))
    case "move": try list.move(number: try Self.number(words, 0), to: try Self.number(words, 1))
    case "find": try list.find(words.joined(separator: " "))
    case "undo": try stack.undo()
    case "redo": try stack.redo()
    default: throw Refusal(description: "'\(command)' is not a command; help lists them")
    }
  }

  private mutating func show(_ list: any ContactList) throws {
    self.list = list
    print("\n\(list.title) — \(list.usage)")
    try list.show()
  }

  private static func number(_ words: [String], _ index: Int) throws -> Int {
    guard words.indices.contains(index), let number = Int(words[index]) else {
      throw Refusal(description: "expected the number of a row")
    }
    return number
  }

  /// The text of an error, with a line for each validation error.
  private static func text(of error: any Error) -> String {
    if let refusal = error as? Refusal { return refusal.description }
    let several = (error as NSError).userInfo[NSDetailedErrorsKey] as? [NSError] ?? []
    return several.isEmpty
      ? error.localizedDescription
      : several.map(\.localizedDescription).joined(separator: "\n  ")
  }
}
