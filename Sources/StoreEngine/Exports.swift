// Importing this module also imports predicates, models and Foundation. Its own files need no import either.
@_exported public import ObjectModel
