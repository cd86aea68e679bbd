/// The types of the standard library, Foundation and Dispatch that properties may have, by module and kind.
///
/// `/2` after a name is the number of its generic parameters; `Outer.Inner` is declared in `Outer`. The names are from
/// the symbol graphs of Swift 6.3's modules on Linux (`swift symbolgraph-extract`); a test compares them with the
/// compiler.
enum SystemTypes {
  /// The names by module and kind, in lookup order.
  static let names: KeyValuePairs<String, KeyValuePairs<NominalType.Kind, String>> = [
    "Swift": [
      .class: "KeyPath/2 PartialKeyPath/1 ReferenceWritableKeyPath/2 WritableKeyPath/2",
      .enumeration: """
      CommandLine DecodingError EncodingError FloatingPointClassification FloatingPointRoundingRule
      FloatingPointSign MemoryLayout/1 Never Optional/1 Result/2 Unicode UnicodeDecodingResult
      """,
      .protocol: """
      AdditiveArithmetic BinaryFloatingPoint BinaryInteger BitwiseCopyable CVarArg CaseIterable
      CodingKey CodingKeyRepresentable Collection Comparable Copyable CustomDebugStringConvertible
      CustomLeafReflectable CustomPlaygroundDisplayConvertible CustomReflectable
      CustomStringConvertible Decodable Decoder DurationProtocol Encodable Encoder Equatable Error
      Escapable FixedWidthInteger FloatingPoint Hashable Identifiable InstantProtocol
      LosslessStringConvertible MirrorPath Numeric OptionSet RandomAccessCollection
      RandomNumberGenerator RangeExpression RangeReplaceableCollection Sendable SendableMetatype
      Sequence SetAlgebra SignedInteger SignedNumeric StringInterpolationProtocol StringProtocol
      TextOutputStream TextOutputStreamable UnicodeCodec UnsignedInteger
      """,
      .structure: """
      AnyHashable Array/1 ArraySlice/1 Bool CVaListPointer Character ClosedRange/1 CodingUserInfoKey
      CollectionDifference/1 CollectionOfOne/1 ContiguousArray/1 DefaultStringInterpolation
      Dictionary/2 Double Duration Float Float16 Float80 Hasher Int Int128 Int16 Int32 Int64 Int8
      KeyValuePairs/2 Mirror ObjectIdentifier OpaquePointer PartialRangeFrom/1 PartialRangeThrough/1
      PartialRangeUpTo/1 Range/1 ReversedCollection/1 Set/1 Slice/1 String Substring
      SystemRandomNumberGenerator UInt UInt128 UInt16 UInt32 UInt64 UInt8
      """,
    ],
    "Foundation": [
      .structure: """
      AffineTransform AlignmentOptions ByteCountFormatter.Units CGFloat CGPoint CGRect CGSize
      CharacterSet DispatchData.Region FileManager.VolumeEnumerationOptions
      ISO8601DateFormatter.Options IndexSet IndexSet.Index IndexSet.RangeView
      JSONSerialization.ReadingOptions JSONSerialization.WritingOptions Measurement/1 Morphology
      Morphology.CustomPronoun NSAffineTransformStruct NSArray.Iterator
      NSAttributedString.EnumerationOptions NSAttributedString.Key NSBinarySearchingOptions
      NSCalendar.Identifier NSCalendar.Options NSCalendar.Unit NSDictionary.Iterator NSEdgeInsets
      NSEnumerationOptions NSEnumerator.Iterator NSExceptionName NSIndexSetIterator NSLocale.Key
      NSNotification.Name NSRegularExpression.MatchingFlags NSRegularExpression.MatchingOptions
      NSRegularExpression.Options NSSortOptions NSString.EncodingConversionOptions
      NSString.EnumerationOptions NSTextCheckingKey NSTextCheckingResult.CheckingType NSZone
      Notification NotificationQueue.NotificationCoalescing ObjCBool PersonNameComponents
      PersonNameComponentsFormatter.Options Progress.FileOperationKind ProgressKind
      ProgressUserInfoKey PropertyListSerialization.MutabilityOptions RunLoop.Mode Stream.Event
      Stream.PropertyKey StreamNetworkServiceTypeValue StreamSocketSecurityLevel StringTransform
      URLError URLFileResourceType URLResourceKey URLResourceValues
      """,
      .class: """
      BlockOperation Bundle ByteCountFormatter DateFormatter DateIntervalFormatter Dimension
      EnergyFormatter FileHandle FileManager.DirectoryEnumerator Formatter Host
      ISO8601DateFormatter InputStream JSONSerialization LengthFormatter MassFormatter
      NSAffineTransform NSArray NSAttributedString NSCache/2 NSCalendar NSCharacterSet NSCoder
      NSComparisonPredicate NSCompoundPredicate NSCondition NSConditionLock NSCountedSet NSData
      NSDate NSDateComponents NSDateInterval NSDecimalNumber NSDecimalNumberHandler NSDictionary
      NSEnumerator NSError NSExpression NSIndexPath NSIndexSet NSKeyedArchiver NSKeyedUnarchiver
      NSLocale NSLock NSMeasurement NSMutableArray NSMutableAttributedString NSMutableCharacterSet
      NSMutableData NSMutableDictionary NSMutableIndexSet NSMutableOrderedSet NSMutableSet
      NSMutableString NSNotification NSNull NSNumber NSObject NSOrderedSet NSOrthography
      NSPersonNameComponents NSPredicate NSRecursiveLock NSRegularExpression NSSet
      NSSortDescriptor NSString NSTextCheckingResult NSTimeZone NSURL NSURLComponents
      NSURLQueryItem NSUUID NSValue NotificationQueue NumberFormatter Operation OperationQueue
      OutputStream PersonNameComponentsFormatter Pipe Port PortMessage Process Progress
      PropertyListSerialization RunLoop Scanner SocketPort Stream Thread Timer Unit
      UnitAcceleration UnitAngle UnitArea UnitConcentrationMass UnitConverter UnitConverterLinear
      UnitDispersion UnitDuration UnitElectricCharge UnitElectricCurrent
      UnitElectricPotentialDifference UnitElectricResistance UnitEnergy UnitFrequency
      UnitFuelEfficiency UnitIlluminance UnitInformationStorage UnitLength UnitMass UnitPower
      UnitPressure UnitSpeed UnitTemperature UnitVolume UserDefaults
      """,
      .enumeration: """
      ByteCountFormatter.CountStyle CGRectEdge DateFormatter.Style DateIntervalFormatter.Style
      EnergyFormatter.Unit Formatter.Context Formatter.UnitStyle InflectionRule LengthFormatter.Unit
      MassFormatter.Unit Morphology.GrammaticalGender Morphology.GrammaticalNumber
      Morphology.PartOfSpeech NSCoder.DecodingFailurePolicy
      NSRectEdge NotificationQueue.PostingStyle NumberFormatter.PadPosition
      NumberFormatter.RoundingMode NumberFormatter.Style Operation.QueuePriority
      PersonNameComponentsFormatter.Style Process.TerminationReason QualityOfService
      Scanner.NumberRepresentation Stream.Status URLError.Code
      """,
      .protocol: """
      CustomNSError NSCacheDelegate NSCoding NSCopying NSDecimalNumberBehaviors
      NSKeyedArchiverDelegate NSKeyedUnarchiverDelegate NSLocking NSMutableCopying NSObjectProtocol
      NSSecureCoding PortDelegate ProgressReporting RecoverableError ReferenceConvertible
      StreamDelegate
      """,
    ],
    "FoundationEssentials": [
      .class: """
      FileManager JSONDecoder JSONEncoder NotificationCenter ProcessInfo PropertyListDecoder
      PropertyListEncoder
      """,
      .enumeration: """
      AttributeDynamicLookup AttributeScopes AttributedString.AttributeMergePolicy
      AttributedString.AttributeRunBoundaries AttributedString.WritingDirection Calendar.Component
      Calendar.Identifier Calendar.MatchingPolicy Calendar.RecurrenceRule.Frequency
      Calendar.RecurrenceRule.Weekday Calendar.RepeatedTimePolicy Calendar.SearchDirection
      ComparisonResult Data.Deallocator Date.ISO8601FormatStyle.DateSeparator
      Date.ISO8601FormatStyle.DateTimeSeparator Date.ISO8601FormatStyle.TimeSeparator
      Date.ISO8601FormatStyle.TimeZoneSeparator Decimal.CalculationError Decimal.RoundingMode
      FileManager.SearchPathDirectory FileManager.URLRelationship JSONDecoder.DataDecodingStrategy
      JSONDecoder.DateDecodingStrategy JSONDecoder.KeyDecodingStrategy
      JSONDecoder.NonConformingFloatDecodingStrategy JSONEncoder.DataEncodingStrategy
      JSONEncoder.DateEncodingStrategy JSONEncoder.KeyEncodingStrategy
      JSONEncoder.NonConformingFloatEncodingStrategy Locale.HourCycle Locale.IdentifierType
      Locale.LanguageCode.IdentifierType Locale.LanguageDirection Locale.Weekday
      PropertyListDecoder.PropertyListFormat SortOrder TimeZone.NameStyle URL.DirectoryHint
      """,
      .protocol: """
      AttributeScope AttributedStringAttributeMutation AttributedStringKey AttributedStringProtocol
      ContiguousBytes DataProtocol DecodableAttributedStringKey DecodableWithConfiguration
      DecodingConfigurationProviding DiscreteFormatStyle EncodableAttributedStringKey
      EncodableWithConfiguration EncodingConfigurationProviding FileManagerDelegate FormatStyle
      LocalizedError MarkdownDecodableAttributedStringKey MutableDataProtocol
      NotificationCenter.AsyncMessage NotificationCenter.MainActorMessage
      NotificationCenter.MessageIdentifier ParseStrategy ParseableFormatStyle PredicateExpression
      SortComparator StandardPredicateExpression
      """,
      .structure: """
      AttributeContainer AttributeScopeCodableConfiguration AttributedString
      AttributedString.AttributeInvalidationCondition AttributedString.CharacterView
      AttributedString.Index AttributedString.UTF16View AttributedString.UTF8View
      AttributedString.UnicodeScalarView AttributedSubstring Calendar Calendar.RecurrenceRule
      Calendar.RecurrenceRule.End Calendar.RecurrenceRule.Month CocoaError CocoaError.Code
      CodableConfiguration/2 ComparableComparator/1 Data Data.Base64DecodingOptions
      Data.Base64EncodingOptions Data.Iterator Data.ReadingOptions Data.SearchOptions
      Data.WritingOptions Date Date.ISO8601FormatStyle DateComponents
      DateComponents.ISO8601FormatStyle DateInterval Decimal DiscontiguousAttributedSubstring
      Expression/2 FileAttributeKey FileAttributeType FileManager.DirectoryEnumerationOptions
      FileManager.ItemReplacementOptions FileManager.SearchPathDomainMask
      FileManager.UnmountOptions FileProtectionType IndexPath JSONEncoder.OutputFormatting Locale
      Locale.Collation Locale.Components Locale.Currency Locale.Language
      Locale.Language.Components Locale.LanguageCode Locale.MeasurementSystem
      Locale.NumberingSystem Locale.Region Locale.Script Locale.Subdivision Locale.Variant
      NotificationCenter.ObservationToken OperatingSystemVersion POSIXError Predicate/1
      PredicateBindings PredicateError ScopedAttributeContainer/1 String.CompareOptions
      String.Encoding TimeZone URL URL.Template URL.Template.Value URL.Template.VariableName
      URLComponents URLQueryItem URLResourceKey UUID
      """,
    ],
    "FoundationInternationalization": [
      .enumeration: """
      ByteCountFormatStyle.Style CurrencyFormatStyleConfiguration
      Date.FormatStyle.Symbol.DayPeriod.Width Date.FormatStyle.Symbol.TimeZone.Width
      DescriptiveNumberFormatConfiguration NumberFormatStyleConfiguration
      """,
      .structure: """
      ByteCountFormatStyle ByteCountFormatStyle.Attributed ByteCountFormatStyle.Units
      CurrencyFormatStyleConfiguration.Presentation
      CurrencyFormatStyleConfiguration.SignDisplayStrategy Date.AnchoredRelativeFormatStyle
      Date.AttributedStyle Date.ComponentsFormatStyle Date.ComponentsFormatStyle.Field
      Date.FormatString Date.FormatString.StringInterpolation Date.FormatStyle
      Date.FormatStyle.Attributed Date.FormatStyle.DateStyle Date.FormatStyle.Symbol
      Date.FormatStyle.Symbol.CyclicYear Date.FormatStyle.Symbol.Day
      Date.FormatStyle.Symbol.DayOfYear Date.FormatStyle.Symbol.DayPeriod
      Date.FormatStyle.Symbol.Era Date.FormatStyle.Symbol.Hour
      Date.FormatStyle.Symbol.Hour.AMPMStyle Date.FormatStyle.Symbol.Minute
      Date.FormatStyle.Symbol.Month Date.FormatStyle.Symbol.Quarter Date.FormatStyle.Symbol.Second
      Date.FormatStyle.Symbol.SecondFraction Date.FormatStyle.Symbol.StandaloneMonth
      Date.FormatStyle.Symbol.StandaloneQuarter Date.FormatStyle.Symbol.StandaloneWeekday
      Date.FormatStyle.Symbol.TimeZone Date.FormatStyle.Symbol.VerbatimHour
      Date.FormatStyle.Symbol.VerbatimHour.Clock Date.FormatStyle.Symbol.VerbatimHour.HourCycle
      Date.FormatStyle.Symbol.Week Date.FormatStyle.Symbol.Weekday Date.FormatStyle.Symbol.Year
      Date.FormatStyle.Symbol.YearForWeekOfYear Date.FormatStyle.TimeStyle
      Date.IntervalFormatStyle Date.ParseStrategy Date.RelativeFormatStyle
      Date.RelativeFormatStyle.Presentation Date.RelativeFormatStyle.UnitsStyle
      Date.VerbatimFormatStyle Date.VerbatimFormatStyle.Attributed Decimal.FormatStyle
      Decimal.FormatStyle.Attributed Decimal.FormatStyle.Currency Decimal.FormatStyle.Percent
      DescriptiveNumberFormatConfiguration.Presentation Duration.TimeFormatStyle
      Duration.TimeFormatStyle.Attributed Duration.TimeFormatStyle.Pattern
      Duration.UnitsFormatStyle Duration.UnitsFormatStyle.Attributed
      Duration.UnitsFormatStyle.FractionalPartDisplayStrategy Duration.UnitsFormatStyle.Unit
      Duration.UnitsFormatStyle.UnitWidth Duration.UnitsFormatStyle.ZeroValueUnitsDisplayStrategy
      FloatingPointFormatStyle/1 FloatingPointParseStrategy/1 FormatStyleCapitalizationContext
      IntegerFormatStyle/1 IntegerParseStrategy/1 KeyPathComparator/1 ListFormatStyle/2
      Locale.Region.Category NumberFormatStyleConfiguration.DecimalSeparatorDisplayStrategy
      NumberFormatStyleConfiguration.Grouping NumberFormatStyleConfiguration.Notation
      NumberFormatStyleConfiguration.Precision NumberFormatStyleConfiguration.SignDisplayStrategy
      SortDescriptor/1 String.Comparator String.StandardComparator StringStyle
      """,
    ],
    "Dispatch": [
      .class: """
      DispatchGroup DispatchIO DispatchObject DispatchQueue DispatchSemaphore DispatchSource
      DispatchSpecificKey/1 DispatchWorkItem
      """,
      .enumeration: """
      DispatchData.Deallocator DispatchIO.StreamType DispatchPredicate DispatchQoS.QoSClass
      DispatchQueue.AutoreleaseFrequency DispatchQueue.GlobalQueuePriority DispatchTimeInterval
      DispatchTimeoutResult
      """,
      .protocol: """
      DispatchSourceProtocol DispatchSourceRead DispatchSourceSignal DispatchSourceTimer
      DispatchSourceUserDataAdd DispatchSourceUserDataOr DispatchSourceUserDataReplace
      DispatchSourceWrite
      """,
      .structure: """
      DispatchData DispatchDataIterator DispatchIO.CloseFlags DispatchIO.IntervalFlags DispatchQoS
      DispatchQueue.Attributes DispatchSource.FileSystemEvent DispatchSource.TimerFlags DispatchTime
      DispatchWallTime DispatchWorkItemFlags
      """,
    ],
  ]
}
