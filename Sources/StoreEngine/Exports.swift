// Importing this module also imports predicates, models and Foundation, for all of its own files, too.
@_exported public import ObjectModel
