import { choiceField, codeField, defineQueryEntity, instantField, defineToOneRelation, textField } from './define.ts'
import type { QueryEntity } from './types.ts'

const attendance = defineQueryEntity({
  name: 'attendance',
  label: 'Scans at the doors',
  rowIs: 'one scan of a badge at the event, a gate or a session',
  area: 'onsite',
  source: 'attendance_scans',
  fields: {
    scope: choiceField('Where', 'scope', ['event', 'gate', 'session']),
    gateCode: codeField('Gate', 'gate_code'),
    direction: choiceField('Direction', 'direction', ['in', 'out']),
    at: instantField('When', 'at'),
    method: choiceField('Method', 'method', ['scan', 'manual', 'kiosk', 'rfid', 'import']),
    deviceName: textField('Device', 'device_name'),
    result: choiceField('Result', 'result', ['accepted', 'refused', 'duplicate']),
    reason: codeField('Reason of the refusal', 'reason'),
    flag: codeField('Note of the door', 'flag'),
  },
  one: { participant: defineToOneRelation('participant', 'participant_id'), session: defineToOneRelation('session', 'session_id') },
})

export const ONSITE_ENTITIES: readonly QueryEntity[] = [attendance]
