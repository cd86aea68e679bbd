import CoreData
import CoreDataTestSupport

/// The table of the tests: of objects, and with faults that are noted.
typealias RecordingTable = CoreDataTestSupport.RecordingTable<NSManagedObject>
