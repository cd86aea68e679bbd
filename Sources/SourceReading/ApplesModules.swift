/// Modules that only Apple's systems have, and that sources of programs with Core Data import.
package enum ApplesModules {
  package static let names: Set<String> = [
    "AVFoundation", "AppIntents", "AppKit", "BackgroundTasks", "CloudKit", "Cocoa", "Combine",
    "Contacts", "CoreGraphics", "CoreImage", "CoreLocation", "CoreServices", "CoreSpotlight",
    "CryptoKit", "Darwin", "EventKit", "HealthKit", "ImageIO", "Intents", "LocalAuthentication",
    "MapKit", "Network", "OSLog", "ObjectiveC", "Photos", "PhotosUI", "QuartzCore", "Security",
    "StoreKit", "SwiftData", "SwiftUI", "TVUIKit", "UIKit", "UniformTypeIdentifiers",
    "UserNotifications", "WatchConnectivity", "WatchKit", "WidgetKit", "os",
  ]
}
