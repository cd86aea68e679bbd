/// A position in the persistent history of one or more stores.
///
/// A token can be kept after the process ends: archive it with `NSKeyedArchiver`, with or without
/// secure coding. Tokens are equal if they represent the same position in the same stores,
/// regardless of the coordinators that returned them.
///
/// Compared to Apple's Core Data: the archive formats differ, so use archived tokens on the platform that created them.
///
/// ```swift
/// let token = coordinator.currentPersistentHistoryToken(fromStores: nil)
/// let data = try token.map {
///   try NSKeyedArchiver.archivedData(withRootObject: $0, requiringSecureCoding: true)
/// }
/// let restored = try data.flatMap {
///   try NSKeyedUnarchiver.unarchivedObject(ofClass: NSPersistentHistoryToken.self, from: $0)
/// }
/// print(restored == token)  // true
/// ```
nonisolated open class NSPersistentHistoryToken: NSObject, NSCopying, NSSecureCoding,
  @unchecked Sendable
{
  /// The number of the last transaction, by the store's UUID.
  let numbers: [String: Int64]

  init(_ numbers: [String: Int64]) {
    self.numbers = numbers
    super.init()
  }

  /// Creates a token that precedes all transactions of any store.
  public override convenience init() { self.init([:]) }

  private static let storesKey = "stores"
  private static let numbersKey = "transactions"

  open class var supportsSecureCoding: Bool { true }

  /// Creates a token from an archive. Returns nil if the archive is invalid.
  public required init?(coder: NSCoder) {
    guard
      let stores = coder.decodeObject(of: NSString.self, forKey: Self.storesKey) as String?,
      let texts = coder.decodeObject(of: NSString.self, forKey: Self.numbersKey) as String?
    else { return nil }
    // A token of no store and a token of one store with an empty UUID have equal names; only their numbers differ.
    let names =
      texts.isEmpty
      ? stores.split(separator: " ").map(String.init)
      : stores.split(separator: " ", omittingEmptySubsequences: false).map(String.init).map {
        $0.removingPercentEncoding ?? $0
      }
    let values = texts.split(separator: " ").compactMap { Int64($0) }
    // `Dictionary(uniqueKeysWithValues:)` stops the program at a duplicate, and the archive may be
    // damaged.
    guard names.count == values.count, Set(names).count == names.count else { return nil }
    numbers = Dictionary(uniqueKeysWithValues: zip(names, values))
    super.init()
  }

  open func encode(with coder: NSCoder) {
    let sorted = numbers.sorted { $0.key < $1.key }
    // A store's UUID is a string that the program or a custom store chooses, so it may contain spaces.
    let names = sorted.map {
      $0.key.replacingOccurrences(of: "%", with: "%25").replacingOccurrences(of: " ", with: "%20")
    }
    coder.encode(names.joined(separator: " ") as NSString, forKey: Self.storesKey)
    coder.encode(
      sorted.map { String($0.value) }.joined(separator: " ") as NSString, forKey: Self.numbersKey)
  }

  /// Returns the token itself, because it is immutable.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  open override func isEqual(_ object: Any?) -> Bool {
    (object as? NSPersistentHistoryToken)?.numbers == numbers
  }

  open override var hash: Int { numbers.hashValue }

  open override var description: String {
    let places = numbers.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
    return "<NSPersistentHistoryToken {\(places.joined(separator: ", "))}>"
  }
}
