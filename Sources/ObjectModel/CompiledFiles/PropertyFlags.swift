/// The bits that summarize the other keys of an archived property.
struct PropertyFlags: OptionSet {
  let rawValue: Int

  static let always = Self(rawValue: 1)
  static let optional = Self(rawValue: 2)
  static let readOnly = Self(rawValue: 4)
  static let transient = Self(rawValue: 8)
  static let withoutPredicates = Self(rawValue: 16)
  static let withoutWarnings = Self(rawValue: 32)
  static let withoutUserInfo = Self(rawValue: 64)
  static let withoutModifier = Self(rawValue: 128)
  static let ordered = Self(rawValue: 1024)
  static let encryptedInCloud = Self(rawValue: 2048)

  /// The bits of an expression in an index.
  static let expression: Self = [
    .always, .optional, .readOnly, .withoutPredicates, .withoutWarnings, .withoutUserInfo,
    .withoutModifier,
  ]

  /// Returns the bits of a property.
  static func flags(of property: NSPropertyDescription, isReadOnly: Bool) -> Self {
    var flags = Self.always
    if property.isOptional { flags.insert(.optional) }
    if isReadOnly { flags.insert(.readOnly) }
    if property.isTransient { flags.insert(.transient) }
    if property.validationRules.isEmpty {
      flags.formUnion([.withoutPredicates, .withoutWarnings])
    }
    if property.userInfo?.isEmpty ?? true { flags.insert(.withoutUserInfo) }
    if property.versionHashModifier == nil { flags.insert(.withoutModifier) }
    if (property as? NSRelationshipDescription)?.isOrdered ?? false { flags.insert(.ordered) }
    if (property as? NSAttributeDescription)?.allowsCloudEncryption ?? false {
      flags.insert(.encryptedInCloud)
    }
    return flags
  }
}
