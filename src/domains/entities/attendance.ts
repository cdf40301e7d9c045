import { column, type Entity, equals, instantColumn } from './entity.ts'
import { id, instant, maybe, oneOf, text } from './schemas.ts'

export const attendance: Entity = {
  path: 'attendance',
  name: 'attendance',
  about: 'A check-in, check-out or refused entry: at the event as a whole, at a gate or at a session.',
  table: 'attendance_scans',
  at: 'event',
  hasTestData: true,
  fields: [
    column('participantId', maybe(id('Null if the scanned badge is unknown.'))),
    column('scope', oneOf(['event', 'gate', 'session'])),
    column('gateCode', maybe(text())),
    column('sessionId', maybe(id())),
    column('direction', oneOf(['in', 'out'])),
    instantColumn('at', instant()),
    column('method', oneOf(['scan', 'manual', 'kiosk', 'rfid', 'import'])),
    column('deviceName', maybe(text())),
    column('result', oneOf(['accepted', 'refused', 'duplicate'])),
    column('reason', maybe(text('The reason for a refused entry.'))),
    column('flag', maybe(text('Problems found later.'))),
  ],
  filters: [equals('sessionId', id()), equals('participantId', id())],
}
