import { columnProperty, type RestEntity, buildEqualsFilter, instantProperty } from './entity.ts'
import { id, instant, maybe, oneOf, text } from './schemas.ts'

export const attendanceEntity: RestEntity = {
  path: 'attendance',
  name: 'attendance',
  about: 'A check-in, check-out or refused entry: at the event as a whole, at a gate or at a session.',
  table: 'attendance_scans',
  at: 'event',
  hasTestData: true,
  fields: [
    columnProperty('participantId', maybe(id('Null if the scanned badge is unknown.'))),
    columnProperty('scope', oneOf(['event', 'gate', 'session'])),
    columnProperty('gateCode', maybe(text())),
    columnProperty('sessionId', maybe(id())),
    columnProperty('direction', oneOf(['in', 'out'])),
    instantProperty('at', instant()),
    columnProperty('method', oneOf(['scan', 'manual', 'kiosk', 'rfid', 'import'])),
    columnProperty('deviceName', maybe(text())),
    columnProperty('result', oneOf(['accepted', 'refused', 'duplicate'])),
    columnProperty('reason', maybe(text('The reason for a refused entry.'))),
    columnProperty('flag', maybe(text('Problems found later.'))),
  ],
  filters: [buildEqualsFilter('sessionId', id()), buildEqualsFilter('participantId', id())],
}
