import CoreData
import CoreDataTestSupport

/// The table of the tests, whose rows are managed objects.
typealias RecordingTable = CoreDataTestSupport.RecordingTable<NSManagedObject>
