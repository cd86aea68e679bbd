/// An object that a row can be named by in a request.
protocol IdentifiedObject: AnyObject {
  var objectID: NSManagedObjectID { get }
}
