import { column, type Entity, equals, instantColumn } from './entity.ts'
import { id, instant, maybe, oneOf, text } from './schemas.ts'

export const attendance: Entity = {
  path: 'attendance',
  name: 'attendance',
  about: 'Somebody who came in or went out, or was not let in: at the event as a whole, at a gate or at a session.',
  table: 'attendance_scans',
  at: 'event',
  hasTestData: true,
  fields: [
    column('participantId', maybe(id('Null where nobody has what was scanned.'))),
    column('scope', oneOf(['event', 'gate', 'session'])),
    column('gateCode', maybe(text())),
    column('sessionId', maybe(id())),
    column('direction', oneOf(['in', 'out'])),
    instantColumn('at', instant()),
    column('method', oneOf(['scan', 'manual', 'kiosk', 'rfid', 'import'])),
    column('deviceName', maybe(text())),
    column('result', oneOf(['accepted', 'refused', 'duplicate'])),
    column('reason', maybe(text('Why they were not let in.'))),
    column('flag', maybe(text('What was found out later.'))),
  ],
  filters: [equals('sessionId', id()), equals('participantId', id())],
}
