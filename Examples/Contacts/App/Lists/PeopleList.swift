import CoreData
import Foundation

/// People in sections by age, sorted by first name.
final class PeopleList: FetchedList<Person> {
  init(_ stack: CoreDataStack, _ tableView: TerminalTable) {
    let request: NSFetchRequest<Person> = Person.fetchRequest()
    request.sortDescriptors = [
      NSSortDescriptor(keyPath: \Person.age, ascending: true),
      NSSortDescriptor(keyPath: \Person.firstName, ascending: true),
    ]
    super.init(stack, tableView, request, sectionNameKeyPath: "age")
  }

  override var title: String { "People by age" }
  override var usage: String { Person.usage }
  override var searchedKeyPaths: [String] { ["firstName", "lastName"] }
  override func text(of person: Person) -> String { person.fullName }

  override func header(of section: any NSFetchedResultsSectionInfo) -> String? {
    "Age \(section.name)"
  }

  override func insert(_ words: [String]) throws { try Person.insert(words, into: context) }
}

/// People in an order that the user arranges.
final class OrderedPeopleList: FetchedList<Person> {
  init(_ stack: CoreDataStack, _ tableView: TerminalTable) {
    let request: NSFetchRequest<Person> = Person.fetchRequest()
    request.sortDescriptors = [NSSortDescriptor(keyPath: \Person.displayOrder, ascending: true)]
    super.init(stack, tableView, request)
  }

  override var title: String { "People in your order (move ROW TO)" }
  override var usage: String { Person.usage }
  override var searchedKeyPaths: [String] { ["firstName", "lastName"] }
  override func text(of person: Person) -> String { "\(person.fullName), \(person.age)" }
  override func insert(_ words: [String]) throws { try Person.insert(words, into: context) }
}

extension Person {
  fileprivate static let usage = "add FIRST-NAME LAST-NAME AGE"

  fileprivate static func insert(_ words: [String], into context: NSManagedObjectContext) throws {
    guard words.count == 3, let age = Int16(words[2]) else { throw Refusal(description: usage) }
    let displayOrder = try nextDisplayOrder(in: context)
    let person = Person(context: context)
    person.displayOrder = displayOrder
    person.firstName = words[0]
    person.lastName = words[1]
    person.age = age
  }
}
