import CoreData
import Foundation

/// Customers by name, with the number of their jobs and the total amount.
final class CustomerList: FetchedList<Customer> {
  init(_ stack: CoreDataStack, _ tableView: TerminalTable) {
    let request: NSFetchRequest<Customer> = Customer.fetchRequest()
    request.sortDescriptors = [
      NSSortDescriptor(keyPath: \Customer.lastName, ascending: true),
      NSSortDescriptor(keyPath: \Customer.firstName, ascending: true),
    ]
    request.relationshipKeyPathsForPrefetching = ["jobs"]
    super.init(stack, tableView, request)
  }

  override var title: String { "Customers (jobs ROW shows a customer's)" }
  override var usage: String { "add FIRST-NAME LAST-NAME [CITY]" }
  override var searchedKeyPaths: [String] { ["firstName", "lastName", "city"] }

  override func text(of customer: Customer) -> String {
    let city = customer.city.map { ", \($0)" } ?? ""
    let count = customer.jobs?.count ?? 0
    let jobs = count == 1 ? "1 job" : "\(count) jobs"
    return "\(customer.fullName)\(city): \(jobs), \(customer.total)"
  }

  override func insert(_ words: [String]) throws {
    guard (2...3).contains(words.count) else { throw Refusal(description: usage) }
    let customer = Customer(context: context)
    customer.firstName = words[0]
    customer.lastName = words[1]
    customer.city = words.count == 3 ? words[2] : nil
    customer.customerSince = Date()
  }

  func jobs(number: Int) throws -> JobList {
    JobList(stack, tableView, of: fetchedResultsController.object(at: try indexPath(number)))
  }
}

/// A customer's jobs, sorted by `displayOrder`.
final class JobList: FetchedList<Job> {
  private let customer: Customer

  init(_ stack: CoreDataStack, _ tableView: TerminalTable, of customer: Customer) {
    self.customer = customer
    let request: NSFetchRequest<Job> = Job.fetchRequest()
    request.predicate = NSPredicate(format: "customer == %@", customer)
    request.sortDescriptors = [NSSortDescriptor(keyPath: \Job.displayOrder, ascending: true)]
    super.init(stack, tableView, request)
  }

  override var title: String { "Jobs of \(customer.fullName)" }
  override var usage: String { "add TITLE AMOUNT" }
  override var searchedKeyPaths: [String] { ["title"] }
  override func text(of job: Job) -> String { "\(job.title ?? ""): \(job.amount ?? 0)" }

  override func insert(_ words: [String]) throws {
    guard words.count == 2 else { throw Refusal(description: usage) }
    let amount = NSDecimalNumber(string: words[1])
    guard amount != .notANumber else { throw Refusal(description: usage) }
    let job = Job(context: context)
    job.title = words[0]
    job.amount = amount
    job.date = Date()
    let last = (customer.jobs?.array as? [Job])?.map(\.displayOrder).max()
    job.displayOrder = (last ?? 0) + 1
    customer.addToJobs(job)
  }

  /// Searches only among the customer's jobs.
  override func find(_ text: String) throws {
    let ofCustomer = NSPredicate(format: "customer == %@", customer)
    fetchedResultsController.fetchRequest.predicate =
      text.isEmpty
      ? ofCustomer
      : NSCompoundPredicate(andPredicateWithSubpredicates: [
        ofCustomer, NSPredicate(format: "title CONTAINS[cd] %@", text),
      ])
    try fetchedResultsController.performFetch()
    tableView.reloadData()
  }
}
