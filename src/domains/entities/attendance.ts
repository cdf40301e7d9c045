import { buildColumnProperty, type RestEntity, buildEqualsFilter, buildInstantProperty } from './entity.ts'
import { recordIdSchema, instantSchema, nullableSchema, enumSchema, stringSchema } from './schemas.ts'

export const attendanceEntity: RestEntity = {
  path: 'attendance',
  name: 'attendance',
  about: 'A check-in, check-out or refused entry: at the event as a whole, at a gate or at a session.',
  table: 'attendance_scans',
  at: 'event',
  hasTestData: true,
  fields: [
    buildColumnProperty('participantId', nullableSchema(recordIdSchema('Null if the scanned badge is unknown.'))),
    buildColumnProperty('scope', enumSchema(['event', 'gate', 'session'])),
    buildColumnProperty('gateCode', nullableSchema(stringSchema())),
    buildColumnProperty('sessionId', nullableSchema(recordIdSchema())),
    buildColumnProperty('direction', enumSchema(['in', 'out'])),
    buildInstantProperty('at', instantSchema()),
    buildColumnProperty('method', enumSchema(['scan', 'manual', 'kiosk', 'rfid', 'import'])),
    buildColumnProperty('deviceName', nullableSchema(stringSchema())),
    buildColumnProperty('result', enumSchema(['accepted', 'refused', 'duplicate'])),
    buildColumnProperty('reason', nullableSchema(stringSchema('The reason for a refused entry.'))),
    buildColumnProperty('flag', nullableSchema(stringSchema('Problems found later.'))),
  ],
  filters: [buildEqualsFilter('sessionId', recordIdSchema()), buildEqualsFilter('participantId', recordIdSchema())],
}
