// Permissions and entitlements of packages in words.
import type { Platform } from '../../platforms.ts';
import type { Texts } from '../texts/en.ts';

type Word = keyof Texts['packages']['permissions'];

/** By the middle part of iOS keys: NS…UsageDescription. */
const iosWords: Record<string, Word> = {
  Camera: 'camera',
  Microphone: 'microphone',
  PhotoLibrary: 'photos',
  PhotoLibraryAdd: 'addPhotos',
  LocationWhenInUse: 'locationInUse',
  LocationAlways: 'locationAlways',
  LocationAlwaysAndWhenInUse: 'locationAlways',
  Location: 'location',
  Contacts: 'contacts',
  Calendars: 'calendars',
  CalendarsFullAccess: 'calendars',
  CalendarsWriteOnlyAccess: 'addEvents',
  Reminders: 'reminders',
  RemindersFullAccess: 'reminders',
  BluetoothAlways: 'bluetooth',
  BluetoothPeripheral: 'bluetooth',
  Motion: 'motion',
  HealthShare: 'readHealth',
  HealthUpdate: 'writeHealth',
  HomeKit: 'home',
  Siri: 'siri',
  SpeechRecognition: 'speech',
  FaceID: 'biometrics',
  LocalNetwork: 'localNetwork',
  UserTracking: 'tracking',
  AppleMusic: 'media',
  NearbyInteraction: 'nearby',
};

/** By the last part of Android names. */
const androidWords: Record<string, Word> = {
  CAMERA: 'camera',
  RECORD_AUDIO: 'microphone',
  READ_MEDIA_IMAGES: 'photos',
  READ_MEDIA_VIDEO: 'videos',
  READ_MEDIA_AUDIO: 'media',
  READ_EXTERNAL_STORAGE: 'readFiles',
  WRITE_EXTERNAL_STORAGE: 'writeFiles',
  MANAGE_EXTERNAL_STORAGE: 'allFiles',
  ACCESS_FINE_LOCATION: 'location',
  ACCESS_COARSE_LOCATION: 'coarseLocation',
  ACCESS_BACKGROUND_LOCATION: 'locationAlways',
  READ_CONTACTS: 'contacts',
  WRITE_CONTACTS: 'writeContacts',
  READ_CALENDAR: 'calendars',
  WRITE_CALENDAR: 'addEvents',
  READ_PHONE_STATE: 'phoneState',
  CALL_PHONE: 'calls',
  READ_CALL_LOG: 'callLog',
  SEND_SMS: 'sendMessages',
  READ_SMS: 'readMessages',
  RECEIVE_SMS: 'readMessages',
  POST_NOTIFICATIONS: 'notifications',
  BLUETOOTH: 'bluetooth',
  BLUETOOTH_ADMIN: 'bluetooth',
  BLUETOOTH_CONNECT: 'bluetooth',
  BLUETOOTH_SCAN: 'nearby',
  ACTIVITY_RECOGNITION: 'motion',
  BODY_SENSORS: 'readHealth',
  USE_BIOMETRIC: 'biometrics',
  USE_FINGERPRINT: 'biometrics',
  NFC: 'nfc',
  INTERNET: 'internet',
  ACCESS_NETWORK_STATE: 'networkState',
  ACCESS_WIFI_STATE: 'networkState',
  FOREGROUND_SERVICE: 'background',
  RECEIVE_BOOT_COMPLETED: 'startup',
  WAKE_LOCK: 'awake',
  VIBRATE: 'vibration',
  SYSTEM_ALERT_WINDOW: 'overlay',
  REQUEST_INSTALL_PACKAGES: 'installApps',
  QUERY_ALL_PACKAGES: 'listApps',
  SCHEDULE_EXACT_ALARM: 'alarms',
  BILLING: 'billing',
  AD_ID: 'tracking',
};

interface PermissionWords {
  name: string;
  /** What it allows; undefined for permissions that aren't known here. */
  meaning: string | undefined;
}

/** Returns a permission in words. Unknown ones are named after their identifier. */
export function describePermission(raw: string, platform: Platform, texts: Texts): PermissionWords {
  const isIos = platform === 'ios';
  const part = isIos ? raw.replace(/^NS|UsageDescription$/g, '') : raw.slice(raw.lastIndexOf('.') + 1);
  const words = isIos ? iosWords : androidWords;
  const word = Object.hasOwn(words, part) ? words[part] : undefined;
  if (word !== undefined) return texts.packages.permissions[word];
  const spaced = isIos ? part.replace(/(?<=[a-z])(?=[A-Z])/g, ' ') : part.replaceAll('_', ' ');
  const lower = spaced.toLowerCase();
  return { name: lower.charAt(0).toUpperCase() + lower.slice(1), meaning: undefined };
}

/** Returns the name of an entitlement; undefined for those that aren't known here. */
export function nameEntitlement(key: string, texts: Texts): string | undefined {
  const names: Record<string, string> = texts.packages.entitlements;
  return Object.hasOwn(names, key) ? names[key] : undefined;
}

/** Returns the value of an entitlement as text. */
export function formatEntitlement(value: unknown, texts: Texts): string {
  if (typeof value === 'boolean') return value ? texts.packages.yes : texts.packages.no;
  if (Array.isArray(value)) return value.map((part) => formatEntitlement(part, texts)).join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
