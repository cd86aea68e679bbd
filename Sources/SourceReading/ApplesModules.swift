/// Modules that exist only on Apple's platforms.
package enum ApplesModules {
  package static let names: Set<String> = [
    "ARKit", "AVFoundation", "AVKit", "Accelerate", "Accessibility", "Accounts", "ActivityKit",
    "AdSupport", "AddressBook", "AppIntents", "AppKit", "AppTrackingTransparency",
    "ApplicationServices", "AudioToolbox", "AuthenticationServices",
    "AutomaticAssessmentConfiguration", "BackgroundTasks", "BusinessChat", "CFNetwork", "CallKit",
    "CarPlay", "Charts", "ClassKit", "ClockKit", "CloudKit", "Cocoa", "Combine", "Contacts",
    "ContactsUI", "CoreAudio", "CoreBluetooth", "CoreGraphics", "CoreHaptics", "CoreImage",
    "CoreLocation", "CoreMIDI", "CoreML", "CoreMedia", "CoreMotion", "CoreNFC", "CoreServices",
    "CoreSpotlight", "CoreTelephony", "CoreText", "CoreTransferable", "CoreVideo", "CoreWLAN",
    "CreateML", "CryptoKit", "Darwin", "DeviceCheck", "EventKit", "EventKitUI", "ExternalAccessory",
    "FileProvider", "FinderSync", "FoundationModels", "GLKit", "GameController", "GameKit",
    "GameplayKit", "GroupActivities", "HealthKit", "HealthKitUI", "HomeKit", "IOKit", "ImageIO",
    "InputMethodKit", "Intents", "IntentsUI", "JavaScriptCore", "LinkPresentation",
    "LocalAuthentication", "MapKit", "MediaPlayer", "MessageUI", "Messages", "Metal", "MetalKit",
    "MetricKit", "MobileCoreServices", "ModelIO", "MultipeerConnectivity", "NaturalLanguage",
    "NearbyInteraction", "Network", "NetworkExtension", "NotificationCenter", "OSLog", "ObjectiveC",
    "OpenGLES", "PDFKit", "PassKit", "PencilKit", "Photos", "PhotosUI", "PushKit", "QuartzCore",
    "QuickLook", "QuickLookThumbnailing", "RealityKit", "ReplayKit", "SafariServices", "SceneKit",
    "ScreenTime", "Security", "ServiceManagement", "ShazamKit", "Social", "SoundAnalysis", "Speech",
    "SpriteKit", "StoreKit", "StoreKitTest", "SwiftData", "SwiftUI", "SystemConfiguration",
    "TVUIKit", "TabularData", "TipKit", "UIKit", "UniformTypeIdentifiers", "UserNotifications",
    "UserNotificationsUI", "VideoToolbox", "Vision", "VisionKit", "WatchConnectivity", "WatchKit",
    "WeatherKit", "WebKit", "WidgetKit", "WorkoutKit", "XPC", "os",
  ]
}
