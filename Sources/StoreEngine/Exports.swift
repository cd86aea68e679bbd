// Importing this module also imports predicates, models and Foundation. Its own files need no import of these either.
@_exported public import ObjectModel
