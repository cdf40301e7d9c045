declare module '../../kernel/columns.ts' {
  interface ColumnTypes {
    'attendance_scans.override': { by: string; reason: string }
  }
}

/** The kinds of places where scans happen: the event as a whole, a gate, or the room of a session. */
export const SCAN_SCOPES = ['event', 'gate', 'session'] as const
export const SCAN_METHODS = ['scan', 'manual', 'kiosk', 'rfid'] as const
export const SCAN_RESULTS = ['accepted', 'refused', 'duplicate'] as const

export type ScanScope = (typeof SCAN_SCOPES)[number]
export type DoorScanResult = (typeof SCAN_RESULTS)[number]

export interface ScanPlace {
  scope: ScanScope
  gateCode?: string | undefined
  sessionId?: string | undefined
}

/** Returns the key of the event, gate or room in the presence and counter tables. */
export const toScanPlaceKey = ({ scope, gateCode, sessionId }: ScanPlace): string =>
  scope === 'event' ? 'event' : scope === 'gate' ? `gate:${gateCode}` : `room:${sessionId}`
