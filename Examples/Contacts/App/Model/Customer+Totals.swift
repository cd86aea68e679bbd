import CoreData
import Foundation

// Codegen of Customer and Job is "Class Definition": the classes are generated.
extension Customer {
  var fullName: String {
    [firstName, lastName].compactMap { $0 }.joined(separator: " ")
  }

  var total: NSDecimalNumber {
    (jobs?.array as? [Job] ?? []).compactMap(\.amount).reduce(.zero) { $0.adding($1) }
  }
}
