import { choice, code, defineEntity, instant, toOne, text } from './define.ts'
import type { Entity } from './types.ts'

const attendance = defineEntity({
  name: 'attendance',
  label: 'Scans at the doors',
  rowIs: 'one scan of a badge at the event, a gate or a session',
  area: 'onsite',
  source: 'attendance_scans',
  fields: {
    scope: choice('Where', 'scope', ['event', 'gate', 'session']),
    gateCode: code('Gate', 'gate_code'),
    direction: choice('Direction', 'direction', ['in', 'out']),
    at: instant('When', 'at'),
    method: choice('Method', 'method', ['scan', 'manual', 'kiosk', 'rfid', 'import']),
    deviceName: text('Device', 'device_name'),
    result: choice('Result', 'result', ['accepted', 'refused', 'duplicate']),
    reason: code('Reason of the refusal', 'reason'),
    flag: code('Note of the door', 'flag'),
  },
  one: { participant: toOne('participant', 'participant_id'), session: toOne('session', 'session_id') },
})

export const ONSITE_ENTITIES: readonly Entity[] = [attendance]
