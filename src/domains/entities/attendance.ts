import { columnProperty, type RestEntity, buildEqualsFilter, instantProperty } from './entity.ts'
import { recordIdSchema, instantSchema, nullableSchema, enumSchema, stringSchema } from './schemas.ts'

export const attendanceEntity: RestEntity = {
  path: 'attendance',
  name: 'attendance',
  about: 'A check-in, check-out or refused entry: at the event as a whole, at a gate or at a session.',
  table: 'attendance_scans',
  at: 'event',
  hasTestData: true,
  fields: [
    columnProperty('participantId', nullableSchema(recordIdSchema('Null if the scanned badge is unknown.'))),
    columnProperty('scope', enumSchema(['event', 'gate', 'session'])),
    columnProperty('gateCode', nullableSchema(stringSchema())),
    columnProperty('sessionId', nullableSchema(recordIdSchema())),
    columnProperty('direction', enumSchema(['in', 'out'])),
    instantProperty('at', instantSchema()),
    columnProperty('method', enumSchema(['scan', 'manual', 'kiosk', 'rfid', 'import'])),
    columnProperty('deviceName', nullableSchema(stringSchema())),
    columnProperty('result', enumSchema(['accepted', 'refused', 'duplicate'])),
    columnProperty('reason', nullableSchema(stringSchema('The reason for a refused entry.'))),
    columnProperty('flag', nullableSchema(stringSchema('Problems found later.'))),
  ],
  filters: [buildEqualsFilter('sessionId', recordIdSchema()), buildEqualsFilter('participantId', recordIdSchema())],
}
