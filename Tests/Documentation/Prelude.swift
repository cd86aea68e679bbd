// What every example of the documentation sees without declaring it: the classes of the sample model
// (Examples/Contacts) and the properties of `Surroundings`. scripts/examples compiles this file into a module
// that all examples import. README.md in this folder says how examples are written.
//
// The members of the classes are written as the plugin ManagedObjectClasses generates them.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import CoreData

// MARK: The sample model

public final class Person: NSManagedObject, Identifiable {
  private static let ageKey = ManagedKey("age")
  public var age: Int16 {
    get { managedValue(Self.ageKey) }
    set { setManagedValue(newValue, Self.ageKey) }
  }

  private static let displayOrderKey = ManagedKey("displayOrder")
  public var displayOrder: Int32 {
    get { managedValue(Self.displayOrderKey) }
    set { setManagedValue(newValue, Self.displayOrderKey) }
  }

  private static let firstNameKey = ManagedKey("firstName")
  public var firstName: String? {
    get { managedValue(Self.firstNameKey) }
    set { setManagedValue(newValue, Self.firstNameKey) }
  }

  private static let lastNameKey = ManagedKey("lastName")
  public var lastName: String {
    get { requiredManagedValue(Self.lastNameKey) }
    set { setManagedValue(newValue, Self.lastNameKey) }
  }

  @nonobjc public class func fetchRequest() -> NSFetchRequest<Person> {
    NSFetchRequest<Person>(entityName: "Person")
  }
}

public final class Team: NSManagedObject, Identifiable {
  private static let nameKey = ManagedKey("name")
  public var name: String? {
    get { managedValue(Self.nameKey) }
    set { setManagedValue(newValue, Self.nameKey) }
  }

  private static let playersKey = ManagedKey("players")
  public var players: NSSet? {
    get { managedValue(Self.playersKey) }
    set { setManagedValue(newValue, Self.playersKey) }
  }
  public func addToPlayers(_ value: Player) { addManagedMembers(value, Self.playersKey) }
  public func addToPlayers(_ values: NSSet) { addManagedMembers(values, Self.playersKey) }
  public func removeFromPlayers(_ value: Player) { removeManagedMembers(value, Self.playersKey) }
  public func removeFromPlayers(_ values: NSSet) { removeManagedMembers(values, Self.playersKey) }

  @nonobjc public class func fetchRequest() -> NSFetchRequest<Team> {
    NSFetchRequest<Team>(entityName: "Team")
  }
}

public final class Player: NSManagedObject, Identifiable {
  private static let ageKey = ManagedKey("age")
  public var age: Int16 {
    get { managedValue(Self.ageKey) }
    set { setManagedValue(newValue, Self.ageKey) }
  }

  private static let nameKey = ManagedKey("name")
  public var name: String? {
    get { managedValue(Self.nameKey) }
    set { setManagedValue(newValue, Self.nameKey) }
  }

  private static let teamKey = ManagedKey("team")
  public var team: Team? {
    get { managedValue(Self.teamKey) }
    set { setManagedValue(newValue, Self.teamKey) }
  }

  @nonobjc public class func fetchRequest() -> NSFetchRequest<Player> {
    NSFetchRequest<Player>(entityName: "Player")
  }
}

public final class Customer: NSManagedObject, Identifiable {
  private static let addressKey = ManagedKey("address")
  public var address: String? {
    get { managedValue(Self.addressKey) }
    set { setManagedValue(newValue, Self.addressKey) }
  }

  private static let cityKey = ManagedKey("city")
  public var city: String? {
    get { managedValue(Self.cityKey) }
    set { setManagedValue(newValue, Self.cityKey) }
  }

  private static let customerSinceKey = ManagedKey("customerSince")
  public var customerSince: Date? {
    get { managedValue(Self.customerSinceKey) }
    set { setManagedValue(newValue, Self.customerSinceKey) }
  }

  private static let displayOrderKey = ManagedKey("displayOrder")
  public var displayOrder: Int32 {
    get { managedValue(Self.displayOrderKey) }
    set { setManagedValue(newValue, Self.displayOrderKey) }
  }

  private static let emailKey = ManagedKey("email")
  public var email: String? {
    get { managedValue(Self.emailKey) }
    set { setManagedValue(newValue, Self.emailKey) }
  }

  private static let firstNameKey = ManagedKey("firstName")
  public var firstName: String? {
    get { managedValue(Self.firstNameKey) }
    set { setManagedValue(newValue, Self.firstNameKey) }
  }

  private static let lastNameKey = ManagedKey("lastName")
  public var lastName: String? {
    get { managedValue(Self.lastNameKey) }
    set { setManagedValue(newValue, Self.lastNameKey) }
  }

  private static let stateKey = ManagedKey("state")
  public var state: String? {
    get { managedValue(Self.stateKey) }
    set { setManagedValue(newValue, Self.stateKey) }
  }

  private static let zipKey = ManagedKey("zip")
  public var zip: String? {
    get { managedValue(Self.zipKey) }
    set { setManagedValue(newValue, Self.zipKey) }
  }

  private static let jobsKey = ManagedKey("jobs")
  public var jobs: NSOrderedSet? {
    get { managedValue(Self.jobsKey) }
    set { setManagedValue(newValue, Self.jobsKey) }
  }
  public func addToJobs(_ value: Job) { addManagedMembers(value, Self.jobsKey) }
  public func addToJobs(_ values: NSOrderedSet) { addManagedMembers(values, Self.jobsKey) }
  public func removeFromJobs(_ value: Job) { removeManagedMembers(value, Self.jobsKey) }
  public func removeFromJobs(_ values: NSOrderedSet) { removeManagedMembers(values, Self.jobsKey) }
  public func insertIntoJobs(_ value: Job, at index: Int) {
    insertManagedMembers(value, at: [index], Self.jobsKey)
  }
  public func removeFromJobs(at index: Int) { removeManagedMembers(at: [index], Self.jobsKey) }

  @nonobjc public class func fetchRequest() -> NSFetchRequest<Customer> {
    NSFetchRequest<Customer>(entityName: "Customer")
  }
}

public final class Job: NSManagedObject, Identifiable {
  private static let amountKey = ManagedKey("amount")
  public var amount: NSDecimalNumber? {
    get { managedValue(Self.amountKey) }
    set { setManagedValue(newValue, Self.amountKey) }
  }

  private static let dateKey = ManagedKey("date")
  public var date: Date? {
    get { managedValue(Self.dateKey) }
    set { setManagedValue(newValue, Self.dateKey) }
  }

  private static let displayOrderKey = ManagedKey("displayOrder")
  public var displayOrder: Int32 {
    get { managedValue(Self.displayOrderKey) }
    set { setManagedValue(newValue, Self.displayOrderKey) }
  }

  private static let titleKey = ManagedKey("title")
  public var title: String? {
    get { managedValue(Self.titleKey) }
    set { setManagedValue(newValue, Self.titleKey) }
  }

  private static let customerKey = ManagedKey("customer")
  public var customer: Customer? {
    get { managedValue(Self.customerKey) }
    set { setManagedValue(newValue, Self.customerKey) }
  }

  @nonobjc public class func fetchRequest() -> NSFetchRequest<Job> {
    NSFetchRequest<Job>(entityName: "Job")
  }
}

// MARK: The names of all examples

/// The values that examples use by these names: a store with the sample data in a file, and some of its objects.
///
/// Each property is a parameter of the function that an example becomes. Each example that runs has a store of its own.
@MainActor
public struct Surroundings {
  public let model: NSManagedObjectModel
  public let url: URL
  public let description: NSPersistentStoreDescription
  public let container: NSPersistentContainer
  public let coordinator: NSPersistentStoreCoordinator
  public let context: NSManagedObjectContext
  public let person: Person
  public let people: [Person]
  public let team: Team
  public let player: Player
  public let customer: Customer
  public let job: Job
  public let request: NSFetchRequest<Person>
  public let controller: NSFetchedResultsController<Player>
  public let tableView: TableView

  /// Makes the store `Contacts.sqlite` in a folder.
  public init(in folder: URL) throws {
    model = try NSManagedObjectModel(validating: Self.modelURL)
    url = folder.appendingPathComponent("Contacts.sqlite")
    description = NSPersistentStoreDescription(url: url)
    description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
    container = NSPersistentContainer(name: "Contacts", managedObjectModel: model)
    container.persistentStoreDescriptions = [description]
    var failure: (any Error)?
    container.loadPersistentStores { _, error in failure = error }
    if let failure { throw failure }
    coordinator = container.persistentStoreCoordinator
    context = container.viewContext

    people = Self.insertPeople(into: context)
    person = people[0]
    (team, player) = Self.insertTeams(into: context)
    (customer, job) = Self.insertCustomers(into: context)
    try context.save()

    request = Person.fetchRequest()
    request.sortDescriptors = [NSSortDescriptor(keyPath: \Person.lastName, ascending: true)]
    let players = Player.fetchRequest()
    players.sortDescriptors = [
      NSSortDescriptor(key: "team.name", ascending: true),
      NSSortDescriptor(key: "name", ascending: true),
    ]
    controller = NSFetchedResultsController(
      fetchRequest: players, managedObjectContext: context, sectionNameKeyPath: "team.name",
      cacheName: nil)
    tableView = TableView()
  }

  private static let modelURL = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Examples/Contacts/Contacts.xcdatamodeld")

  private static func insertPeople(into context: NSManagedObjectContext) -> [Person] {
    let rows: [(String, String, Int16)] = [
      ("Ada", "Lovelace", 36), ("Alan", "Turing", 41), ("Grace", "Hopper", 85),
      ("Edsger", "Dijkstra", 72), ("Emmy", "Noether", 53),
    ]
    return rows.enumerated().map { index, row in
      let person = Person(context: context)
      (person.firstName, person.lastName, person.age) = row
      person.displayOrder = Int32(index + 1)
      return person
    }
  }

  private static func insertTeams(into context: NSManagedObjectContext) -> (Team, Player) {
    let teams = ["Red", "Blue", "Green"].map { name in
      let team = Team(context: context)
      team.name = name
      return team
    }
    let rows: [(String, Int16, Team?)] = [
      ("Ann", 21, teams[0]), ("Bob", 25, teams[0]), ("Cara", 19, teams[1]), ("Dan", 30, teams[1]),
      ("Eve", 28, nil),
    ]
    let players = rows.map { row in
      let player = Player(context: context)
      (player.name, player.age, player.team) = row
      return player
    }
    return (teams[0], players[0])
  }

  private static func insertCustomers(into context: NSManagedObjectContext) -> (Customer, Job) {
    let day = { (year: Int, month: Int, day: Int) in
      DateComponents(
        calendar: Calendar(identifier: .gregorian), timeZone: TimeZone(secondsFromGMT: 0),
        year: year, month: month, day: day
      ).date
    }
    let rows: [(String, String, String, String, Date?)] = [
      ("Ruth", "Baker", "Houston", "TX", day(2019, 3, 1)),
      ("Carl", "Clark", "Lewiston", "ME", day(2020, 6, 15)),
      ("Rosa", "Young", "Burlington", "VT", day(2023, 1, 9)),
    ]
    let customers = rows.enumerated().map { index, row in
      let customer = Customer(context: context)
      (customer.firstName, customer.lastName, customer.city) = (row.0, row.1, row.2)
      (customer.state, customer.customerSince) = (row.3, row.4)
      customer.displayOrder = Int32(index + 1)
      return customer
    }
    let work: [(String, String, Date?, Int)] = [
      ("Kitchen", "41354.95", day(2020, 11, 8), 0), ("Painting", "800", day(2021, 5, 2), 0),
      ("Roof", "12000", day(2022, 3, 7), 1),
    ]
    let jobs = work.enumerated().map { index, row in
      let job = Job(context: context)
      job.title = row.0
      job.amount = NSDecimalNumber(string: row.1)
      job.date = row.2
      job.displayOrder = Int32(index + 1)
      customers[row.3].addToJobs(job)
      return job
    }
    return (customers[0], jobs[0])
  }
}

/// A list view that prints what it is called with.
public final class TableView: TableViewUpdating {
  init() {}
  public func beginUpdates() { print("beginUpdates") }
  public func endUpdates() { print("endUpdates") }
  public func reloadData() { print("reloadData") }
  public func insertSections(_ sections: IndexSet, with animation: TableRowAnimation) {
    print("insertSections", Array(sections))
  }
  public func deleteSections(_ sections: IndexSet, with animation: TableRowAnimation) {
    print("deleteSections", Array(sections))
  }
  public func reloadSections(_ sections: IndexSet, with animation: TableRowAnimation) {
    print("reloadSections", Array(sections))
  }
  public func moveSection(_ section: Int, toSection newSection: Int) {
    print("moveSection", section, "to", newSection)
  }
  public func insertRows(at indexPaths: [IndexPath], with animation: TableRowAnimation) {
    print("insertRows", indexPaths)
  }
  public func deleteRows(at indexPaths: [IndexPath], with animation: TableRowAnimation) {
    print("deleteRows", indexPaths)
  }
  public func reloadRows(at indexPaths: [IndexPath], with animation: TableRowAnimation) {
    print("reloadRows", indexPaths)
  }
  public func moveRow(at indexPath: IndexPath, to newIndexPath: IndexPath) {
    print("moveRow", indexPath, "to", newIndexPath)
  }
}
