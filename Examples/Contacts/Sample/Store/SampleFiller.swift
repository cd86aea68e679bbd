public import CoreData

/// Creates the objects of a sample in a context and saves them in batches.
///
/// The context is reset after each batch, so a million rows need no more memory than one batch. The same plan produces
/// the same rows with the same primary keys.
public struct SampleFiller {
  /// How many objects are saved together. A team with its players and a customer with its jobs stay together, so a
  /// batch may be slightly larger.
  public static let batchSize = 5_000

  private let context: NSManagedObjectContext
  private let plan: SamplePlan
  private let progress: (Int) -> Void
  private var waiting = 0
  private var saved = 0

  /// Makes a filler for a context without changes. Use it on the context's queue.
  ///
  /// - Parameter progress: Called after each save with the number of rows saved so far.
  public init(
    _ context: NSManagedObjectContext, plan: SamplePlan,
    progress: @escaping (_ saved: Int) -> Void = { _ in }
  ) {
    self.context = context
    self.plan = plan
    self.progress = progress
  }

  /// Creates and saves all rows of the plan.
  ///
  /// - Throws: errors of a save; the batches that were saved before remain in the store.
  public mutating func fill() throws {
    for index in 0..<plan.people {
      insert(plan.person(index))
      try saveIfFull()
    }
    for index in 0..<plan.teams {
      insert(plan.team(index))
      try saveIfFull()
    }
    for index in 0..<plan.customers {
      insert(plan.customer(index))
      try saveIfFull()
    }
    try save()
  }

  private mutating func insert(_ values: PersonValues) {
    let person = new("Person")
    person.setValue(values.firstName, forKey: "firstName")
    person.setValue(values.lastName, forKey: "lastName")
    person.setValue(values.age, forKey: "age")
    person.setValue(values.displayOrder, forKey: "displayOrder")
  }

  private mutating func insert(_ values: TeamValues) {
    let team = new("Team")
    team.setValue(values.name, forKey: "name")
    for index in values.players {
      let player = new("Player")
      let values = plan.player(index)
      player.setValue(values.name, forKey: "name")
      player.setValue(values.age, forKey: "age")
      player.setValue(team, forKey: "team")
    }
  }

  private mutating func insert(_ values: CustomerValues) {
    let customer = new("Customer")
    customer.setValue(values.firstName, forKey: "firstName")
    customer.setValue(values.lastName, forKey: "lastName")
    customer.setValue(values.address, forKey: "address")
    customer.setValue(values.city, forKey: "city")
    customer.setValue(values.state, forKey: "state")
    customer.setValue(values.zip, forKey: "zip")
    customer.setValue(values.email, forKey: "email")
    customer.setValue(values.customerSince, forKey: "customerSince")
    customer.setValue(values.displayOrder, forKey: "displayOrder")
    for values in plan.jobs(of: values) {
      let job = new("Job")
      job.setValue(values.title, forKey: "title")
      job.setValue(values.displayOrder, forKey: "displayOrder")
      job.setValue(values.amount, forKey: "amount")
      job.setValue(values.date, forKey: "date")
      job.setValue(customer, forKey: "customer")
    }
  }

  private mutating func new(_ entity: String) -> NSManagedObject {
    waiting += 1
    return NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
  }

  private mutating func saveIfFull() throws {
    if waiting >= Self.batchSize { try save() }
  }

  private mutating func save() throws {
    guard waiting > 0 else { return }
    try context.save()
    context.reset()
    saved += waiting
    waiting = 0
    progress(saved)
  }
}
