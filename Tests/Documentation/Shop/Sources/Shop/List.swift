import CoreData
import UIKit

class List: UITableViewController {
  var context: NSManagedObjectContext?

  override func viewDidLoad() {
    super.viewDidLoad()
    NotificationCenter.default.addObserver(
      self, selector: #selector(saved(_:)), name: .NSManagedObjectContextDidSave, object: context)
  }

  @objc func saved(_ notification: Notification) { tableView.reloadData() }
}
