/// Sources like those of tutorials and applications for iOS.
enum TutorialSources {
  static let all = [stack, list, person, task, helpers, account, views]

  static let stack = #"""
    //
    //  CoreDataStack.swift
    //  TodoApp
    //

    import UIKit
    import CoreData
    import os.log
    import Combine

    @objcMembers final class CoreDataStack: NSObject {
        static let shared = CoreDataStack()
        @objc dynamic private(set) var isReady = false      // observed by the splash screen
        private var observation: NSKeyValueObservation?
        private var cancellables = Set<AnyCancellable>()
        private let log = OSLog(subsystem: "com.example", category: "cd")

        lazy var persistentContainer: NSPersistentContainer = {
            let container = NSPersistentContainer(name: "Todo")
            container.loadPersistentStores(completionHandler: { (storeDescription, error) in
                if let error = error as NSError? {
                    fatalError("Unresolved error \(error), \(error.userInfo)")
                }
            })
            container.viewContext.undoManager = UndoManager()
            return container
        }()

        override init() {
            super.init()
            NotificationCenter.default.addObserver(self, selector: #selector(contextDidSave(_:)), name: .NSManagedObjectContextDidSave, object: nil)
            NotificationCenter.default.addObserver(
                self,
                selector: #selector(CoreDataStack.remoteChange),
                name: NSNotification.Name.NSPersistentStoreRemoteChange,
                object: nil)
            NotificationCenter.default.publisher(for: UIApplication.didEnterBackgroundNotification)
                .sink { [weak self] _ in self?.saveContext() }
                .store(in: &cancellables)
            observation = self.observe(\.isReady, options: [.new, .old]) { stack, change in print(change) }
            Timer.scheduledTimer(timeInterval: 5, target: self, selector: #selector(tick), userInfo: nil, repeats: true)
            perform(#selector(tick), with: nil, afterDelay: 2)
        }

        @objc private func contextDidSave(_ note: Notification) { os_log("saved", log: log, type: .info) }
        @objc func remoteChange() {}; @objc func tick() {}

        func saveContext () {
            let context = persistentContainer.viewContext
            if context.hasChanges { do { try context.save() } catch { let nserror = error as NSError
                fatalError("\(nserror)") } }
        }
    }

    """#

  static let list = #"""
    import UIKit
    import CoreData

    class ListViewController: UITableViewController, NSFetchedResultsControllerDelegate {
        @IBOutlet weak var searchBar: UISearchBar!
        @IBOutlet private var label: UILabel!
        var context: NSManagedObjectContext!
        lazy var frc: NSFetchedResultsController<Person> = {
            let request = Person.fetchRequest() as! NSFetchRequest<Person>
            request.sortDescriptors = [
                NSSortDescriptor(key: #keyPath(Person.team.name), ascending: true, selector: #selector(NSString.localizedStandardCompare(_:))),
                NSSortDescriptor(key: #keyPath(Person.name), ascending: true, selector: #selector(NSString.localizedCaseInsensitiveCompare)),
            ]
            let frc = NSFetchedResultsController(fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: #keyPath(Person.team.name), cacheName: nil)
            frc.delegate = self
            return frc
        }()
        override func viewDidLoad() {
            super.viewDidLoad()
            let b = UIBarButtonItem(barButtonSystemItem: .add, target: self, action: #selector(add))
            navigationItem.rightBarButtonItem = b
            refreshControl?.addTarget(self, action: #selector(refresh(_:)), for: .valueChanged)
        }
        @IBAction func add() {}
        @objc func refresh(_ c: UIRefreshControl) {}
        func controllerWillChangeContent(_ controller: NSFetchedResultsController<NSFetchRequestResult>) { tableView.beginUpdates() }
    }

    """#

  static let person = #"""
    import Foundation
    import CoreData

    /// A person.
    @objc(Person)
    public class Person: NSManagedObject {

    }

    // MARK: - Lifecycle

    extension Person {
        // created
        public override func awakeFromInsert() {
            super.awakeFromInsert()
            setPrimitiveValue(Date(), forKey: #keyPath(Person.createdAt))   // stamp
        }

        override public func awakeFromFetch() { super.awakeFromFetch() }

        @objc public override func willSave() {
            super.willSave()
            if changedValues()[#keyPath(name)] != nil { setPrimitiveValue(Date(), forKey: #keyPath(Person.updatedAt)) }
        }

        var lower: String { (name ?? "").lowercased() }
        @objc var sectionTitle: String? { willAccessValue(forKey: "sectionTitle"); defer { didAccessValue(forKey: "sectionTitle") }; return name.map { String($0.prefix(1)) } }
    }

    extension Person {

        @nonobjc public class func fetchRequest() -> NSFetchRequest<Person> {
            return NSFetchRequest<Person>(entityName: "Person")
        }

        @NSManaged public var name: String?
        @NSManaged public var createdAt: Date?
        @NSManaged public var updatedAt: Date?
        @NSManaged public var age: Int16
        @NSManaged public var team: Team?
        @NSManaged public var tags: NSSet?
    }

    // MARK: Generated accessors for tags
    extension Person {

        @objc(addTagsObject:)
        @NSManaged public func addToTags(_ value: Tag)

        @objc(removeTagsObject:)
        @NSManaged public func removeFromTags(_ value: Tag)

        @objc(addTags:)
        @NSManaged public func addToTags(_ values: NSSet)

        @objc(removeTags:) @NSManaged public func removeFromTags(_ values: NSSet)

    }

    extension Person : Identifiable {

    }

    """#

  static let task = #"""
    import CoreData

    @objc public enum Priority: Int16, CaseIterable { case low = 0, normal, high }
    @objc(TDKind) enum Kind: Int { @objc(TDKindA) case a = 1; case b }

    final class TaskItem: NSManagedObject {
        @NSManaged private var priorityValue: Int16
        @NSManaged var primitivePriority: NSNumber?
        @objc var priority: Priority {
            get { Priority(rawValue: priorityValue) ?? .low }
            set { priorityValue = newValue.rawValue }
        }
        @objc dynamic var isDone: Bool {
            @objc(isDone) get {
                willAccessValue(forKey: "isDone"); defer { didAccessValue(forKey: "isDone") }
                return primitiveValue(forKey: #keyPath(isDone)) as? Bool ?? false
            }
            @objc(setIsDone:) set { willChangeValue(forKey: #keyPath(TaskItem.isDone)); setPrimitiveValue(newValue, forKey: "isDone"); didChangeValue(forKey: "isDone") }
        }
        @objc class func keyPathsForValuesAffectingTitle() -> Set<String> { [#keyPath(TaskItem.isDone)] }
        override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
            key == "x" ? [#keyPath(TaskItem.isDone)] : super.keyPathsForValuesAffectingValue(forKey: key)
        }
        override class func automaticallyNotifiesObservers(forKey key: String) -> Bool { false }
        @objc func validateTitle(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>) throws {
            guard let s = value.pointee as? String, !s.isEmpty else { throw NSError(domain: "x", code: 1) }
        }
        override func validateForInsert() throws { try super.validateForInsert() }
        override init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
            super.init(entity: entity, insertInto: context)
        }
        @discardableResult convenience init(title: String, in context: NSManagedObjectContext) {
            self.init(context: context)
        }
    }

    """#

  static let helpers = #"""
    import CoreData
    extension NSManagedObjectContext {
        func first<T: NSManagedObject>(_ type: T.Type, where key: String, equals value: CVarArg) throws -> T? {
            let r = T.fetchRequest() as! NSFetchRequest<T>
            r.predicate = NSPredicate(format: "%K == %@", key, value); r.fetchLimit = 1
            return try fetch(r).first
        }
        func all<T: NSManagedObject>(_ t: T.Type) -> [T] { (try? fetch(T.fetchRequest() as! NSFetchRequest<T>)) ?? [] }
        func delete(_ e: String) throws {
            let d = NSBatchDeleteRequest(fetchRequest: NSFetchRequest<Person>(entityName: e) as! NSFetchRequest<NSFetchRequestResult>)
            try execute(d)
        }
        func named() -> [Person] {
            if let request = Person.fetchRequest() as? NSFetchRequest<Person> {
                request.predicate = NSPredicate(format: "%K == 1", #keyPath(Person.age))
                request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true, selector: #selector(NSString.localizedStandardCompare(_:)))]
                return (try? fetch(request)) ?? []
            }
            return []
        }
        @objc func tapped(_ r: NSFetchRequest<NSFetchRequestResult>) -> Any? { f(r as? NSFetchRequest<Person>, key: #keyPath(Person.name)) }
    }
    class Holder: NSObject {
        @objc lazy var request = Person.fetchRequest() as! NSFetchRequest<Person>
        @objc static let q = (Person.fetchRequest() as! NSFetchRequest<Person>, #keyPath(Person.name))
        let kinds: [NSFetchRequest<Person>] = [1, 2].map { _ in Person.fetchRequest() as! NSFetchRequest<Person> }
    }

    import UIKit

    @objc(ColorTransformer) final class ColorTransformer: NSSecureUnarchiveFromDataTransformer {
      static let name = NSValueTransformerName(rawValue: String(describing: ColorTransformer.self))
      override static var allowedTopLevelClasses: [AnyClass] { [UIColor.self] }
      public static func register() { ValueTransformer.setValueTransformer(ColorTransformer(), forName: name) }
    }
    @objc
    public class ArrayTransformer: ValueTransformer {
        override public class func transformedValueClass() -> AnyClass { NSData.self }
        private let x: Int
        init(x: Int) { self.x = x; super.init() }
    }
    class OneLine: ValueTransformer { let x: Int; init(x: Int) { self.x = x; super.init() } }
    class Over: ValueTransformer { override init() { super.init() } }

    """#

  static let account = #"""
    import Foundation
    import CoreData

    final class Account: NSManagedObject {
        @NSManaged var name: String
        @NSManaged var balance: NSDecimalNumber?

        convenience init(context: NSManagedObjectContext) {
            let entity = NSEntityDescription.entity(forEntityName: "Account", in: context)!
            self.init(entity: entity, insertInto: context)
        }
        override class func automaticallyNotifiesObservers(forKey key: String) -> Bool { key != "balance" }
        func rename(_ n: String) {
            willChangeValue(for: \.name)
            setPrimitiveValue(n, forKey: "name")
            didChangeValue(for: \.name)
            objectWillChange.send()
        }
        func start() {
            NotificationCenter.default.addObserver(self, selector: Selector("saved:"), name: .NSManagedObjectContextDidSave, object: nil)
            NotificationCenter.default.addObserver(self, selector: Selector(("saved:")), name: .NSManagedObjectContextDidSave, object: nil)
            NotificationCenter.default.addObserver(self, selector: NSSelectorFromString("saved:"), name: .NSManagedObjectContextDidSave, object: nil)
            if responds(to: Selector(("saved:"))) { perform(Selector(("saved:")), with: nil) }
            undoManager?.registerUndo(withTarget: self, selector: Selector(("undo:")), object: nil)
            objc_sync_enter(self); defer { objc_sync_exit(self) }
            let t = CFAbsoluteTimeGetCurrent()
            print(t, object_getClass(self) as Any, arc4random_uniform(3))
        }
        @objc func saved(_ n: Notification) {}
    }
    final class AccountPolicy: NSEntityMigrationPolicy {
        override init() { super.init() }
        @objc func title(_ t: String, manager: NSMigrationManager) -> String { t }
    }
    final class Diff: NSObject, NSFetchedResultsControllerDelegate {
        func controller(_ controller: NSFetchedResultsController<NSFetchRequestResult>, didChangeContentWith snapshot: NSDiffableDataSourceSnapshotReference) {
            let s = snapshot as NSDiffableDataSourceSnapshot<String, NSManagedObjectID>
            let t = snapshot as! NSDiffableDataSourceSnapshot<String, NSManagedObjectID>
            print(s, t)
        }
    }
    final class MyContainer: NSPersistentContainer {
        override init(name: String, managedObjectModel model: NSManagedObjectModel) { super.init(name: name, managedObjectModel: model) }
    }
    func x() {
        let center = NotificationCenter.default
        let ex = keyValueObservingExpectation(for: center, keyPath: "x", expectedValue: 1)
        let requests = [Account.fetchRequest()] as! [NSFetchRequest<Account>]
        let r: NSFetchRequest<Account> = Account.fetchRequest() as! NSFetchRequest
        _ = (ex, requests, r)
    }
    extension Account {
        @objc var initial: String { String(name.prefix(1)) }
        func frc(_ c: NSManagedObjectContext) -> NSFetchedResultsController<Account> {
            NSFetchedResultsController(fetchRequest: Account.request(), managedObjectContext: c, sectionNameKeyPath: #keyPath(Account.initial), cacheName: nil)
        }
    }
    @objc(TDNode) class Node: NSManagedObject {
        @objc(isLeaf) @NSManaged var leaf: Bool
        static let k = #keyPath(Node.leaf)
    }
    class T1: ValueTransformer { override init() {} ; private override init(x: Int) {} }

    """#

  static let views = #"""
    import Foundation
    import SwiftUI
    import CoreData
    class Store: ObservableObject {
        @Published var people: [Person] = []
        @Environment(\.managedObjectContext) private var ctx
    }
    struct PeopleView: View {
        @FetchRequest(sortDescriptors: [SortDescriptor(\Person.name)], predicate: NSPredicate(format: "%K == %@", #keyPath(Person.name), "x")) var people: FetchedResults<Person>
        @ObservedObject var store: Store
        var body: some View { EmptyView() }
    }

    import CoreData
    import Combine
    final class VM: NSObject, ObservableObject, NSFetchedResultsControllerDelegate {
      @Published var a: [P] = []
      var c: Cancellable?
      func x() { c = ctx.publisher(for: \.hasChanges).sink { _ in }
       let f = Future<Int, Error> { $0(.success(1)) }; _ = Just(1)
       UserDefaults.standard.publisher(for: \.x)
       NotificationCenter.default.addObserver(forName: nil, object: nil, queue: .main) { _ in }
       person.addObserver(self, forKeyPath: #keyPath(P.name), options: [.new], context: nil)
       person.removeObserver(self, forKeyPath: "name", context: nil)
       obs = person.observe(\P.name) { _, _ in }
       person.observe(\.name, options: .new, changeHandler: h)
       array.observe(x)
      }
      override func observeValue(forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey : Any]?, context: UnsafeMutableRawPointer?) { if keyPath == #keyPath(P.name) {} else { super.observeValue(forKeyPath: keyPath, of: object, change: change, context: context) } }
    }

    """#
}
