extension ModelProblem {
  /// What kind of problem it is. The raw values do not change.
  public enum Kind: String, Sendable, CaseIterable {
    // Names.

    /// An entity or property has no name.
    case missingName
    /// Two entities, two properties of an entity, or two elements have the same name.
    case repeatedName
    /// A property has a name that a property of an entity above has already.
    case inheritedName
    /// A property has the name of something that every managed object has, such as `objectID`.
    case reservedName
    /// A name that key paths or the store cannot use, such as one with a full stop.
    case impossibleName
    /// Two root entities share a table because their names differ in nothing but case.
    case tableClash
    /// A name that differs from another one in nothing but case.
    case similarName
    /// A name that generated classes cannot use, or that is not written as Xcode asks for.
    case unusualName
    /// Two entities, or two properties of an entity, have the same renaming identifier.
    case repeatedRenamingIdentifier

    // Hierarchy and belonging.

    /// An entity is its own ancestor.
    case circularParents
    /// More than 999 entities are above an entity.
    case tooManyAncestors
    /// An entity above or below is not in the model.
    case relativeOutsideModel
    /// An entity, property or index is in two places at once.
    case sharedDescription

    // Relationships.

    /// A relationship leads nowhere.
    case missingDestination
    /// A relationship leads to an entity that is not in the model.
    case destinationOutsideModel
    /// A relationship has no inverse.
    case missingInverse
    /// The inverse of a relationship is of the wrong entity, or does not lead back.
    case wrongInverse
    /// A to-one relationship is ordered.
    case orderedToOne
    /// The least number of objects is above the greatest.
    case impossibleCount
    /// A number of objects is negative; it counts as "no limit".
    case negativeCount

    // Attributes.

    /// A stored attribute has no type, or one that is not stored.
    case unstorableType
    /// A default value is not of the attribute's type.
    case wrongDefault
    /// A default value breaks the attribute's own rules.
    case invalidDefault
    /// A setting has no effect on an attribute of its type.
    case uselessSetting
    /// The least value, date or length is above the greatest.
    case impossibleRange
    /// A pattern is no regular expression.
    case invalidPattern
    /// A predicate or expression cannot be read.
    case unreadableText
    /// A derived attribute has no expression, or one that the store cannot compute.
    case invalidDerivation
    /// A composite attribute has no elements or holds itself.
    case invalidComposite

    // What refers to properties and entities by name.

    /// A uniqueness constraint names something that has no column.
    case invalidConstraint
    /// A uniqueness constraint names nothing.
    case emptyConstraint
    /// The same uniqueness constraint is there twice.
    case repeatedConstraint
    /// An index has no elements or names a property that is not there.
    case invalidIndex
    /// An index names something that has no column, such as a to-many relationship.
    case uselessIndex
    /// Two indexes of an entity have the same name.
    case repeatedIndex
    /// A fetched property has no fetch request, or one of an unknown entity.
    case invalidFetchedProperty
    /// A fetch request of the model is of an unknown entity.
    case invalidFetchRequest
    /// A fetch request sorts by, or fetches, a property that its entity does not have.
    case unknownFetchKey
    /// A configuration has no name or names an unknown entity.
    case invalidConfiguration
  }
}

extension ModelProblem.Kind {
  /// How much problems of this kind matter in a model that Apple's compiler or a store's Core Data wrote: such a
  /// model is in use somewhere. Only where nothing could be made of the model they are errors.
  var severityInCompiledModels: ModelProblem.Severity {
    switch self {
    case .missingName, .repeatedName, .circularParents, .tooManyAncestors, .relativeOutsideModel,
      .sharedDescription, .missingDestination, .destinationOutsideModel:
      .error
    default: .warning
    }
  }

  /// Whether a store of a model with such a problem can be read but not safely be written: two tables would
  /// share their keys, or two relationships would not agree.
  var forbidsWriting: Bool {
    switch self {
    case .tableClash, .wrongInverse: true
    default: false
    }
  }

  /// How much problems of this kind matter in a model that a program builds or that is read from its source.
  public var severity: ModelProblem.Severity {
    switch self {
    case .similarName, .unusualName, .repeatedRenamingIdentifier, .missingInverse, .invalidDefault,
      .uselessSetting, .negativeCount, .uselessIndex, .repeatedIndex, .repeatedConstraint,
      .emptyConstraint,
      .unknownFetchKey:
      .warning
    case .missingName, .repeatedName, .inheritedName, .reservedName, .impossibleName, .tableClash,
      .circularParents, .tooManyAncestors, .relativeOutsideModel, .sharedDescription,
      .missingDestination, .destinationOutsideModel, .wrongInverse, .orderedToOne, .impossibleCount,
      .unstorableType,
      .wrongDefault, .impossibleRange, .invalidPattern, .unreadableText, .invalidDerivation,
      .invalidComposite, .invalidConstraint, .invalidIndex, .invalidFetchedProperty,
      .invalidFetchRequest, .invalidConfiguration:
      .error
    }
  }
}
