import Foundation
import Testing

@testable import CoreData

@Suite struct MigrationErrorCodeTests {
  @Test func `The code of a step's error is that of its cause only in the same domain`() {
    let url = URL(fileURLWithPath: "/store.sqlite")
    for (domain, expected) in [
      (NSCocoaErrorDomain, 28), (NSPOSIXErrorDomain, NSMigrationError),
      (NSSQLiteErrorDomain, NSMigrationError),
    ] {
      let cause = NSError(domain: domain, code: 28)
      let errors: [any Error] = [
        MigrationErrors.planned(2, of: 3, cause), MigrationErrors.step(2, of: 3, url, cause),
        MigrationErrors.validation(cause, NSEntityMapping()),
      ]
      for error in errors.map({ $0 as NSError }) {
        #expect(error.domain == NSCocoaErrorDomain && error.code == expected, "\(domain)")
      }
    }
  }
}
