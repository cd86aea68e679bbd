/// The simple settings of a context.
struct ContextSettings {
  var name: String?
  var transactionAuthor: String?
  var mergePolicy: Any = NSMergePolicy.error
  var shouldDeleteInaccessibleFaults = true
  var propagatesDeletesAtEndOfEvent = true
  var retainsRegisteredObjects = false
  var stalenessInterval: TimeInterval = -1
}
