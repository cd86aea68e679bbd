/// What a program sets of a context, and nothing else depends on.
struct ContextSettings {
  var name: String?
  var transactionAuthor: String?
  var mergePolicy: Any = NSMergePolicy.error
  var shouldDeleteInaccessibleFaults = true
  var propagatesDeletesAtEndOfEvent = true
  var retainsRegisteredObjects = false
  var stalenessInterval: TimeInterval = -1
}
