import {
  toOneLine,
  code,
  id,
  instant,
  list,
  name,
  oneOf,
  pageArguments,
  searchArgument,
  optionalPageResultFields,
  text,
} from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { listAttendance } from '../../domains/attendance/list-attendance.ts'
import { ListedScanShape, PersonPresenceShape } from '../../domains/attendance/shapes.ts'
import { SCAN_RESULTS, SCAN_SCOPES } from '../../domains/attendance/tables.ts'

export default eventTool({
  name: 'list_attendance',
  title: 'Scan log and people inside',
  description:
    'Look up the raw scan log: when a person entered and left, who was turned away (refused) at which door and why. With presence: who is inside a room, gate or the event now, who left, who never came, with minutes spent. For counts use get_onsite_summary. Returns scans, newest first, or people.',
  effect: 'read',
  permission: 'onsite.read',
  toleratesLag: true,
  input: {
    participantId: id('participant').optional(),
    badgeId: text(200).optional(),
    scope: oneOf(SCAN_SCOPES).optional(),
    gateCode: code().optional(),
    sessionId: id('session').optional(),
    direction: oneOf(['in', 'out']).optional(),
    result: oneOf(SCAN_RESULTS).optional(),
    reason: text(40).optional(),
    from: instant().optional(),
    until: instant().optional(),
    deviceName: name(80).optional(),
    presence: oneOf(['inside', 'left', 'never']).optional(),
    search: searchArgument().optional(),
    ...pageArguments,
  },
  output: {
    scans: toOneLine(
      list(ListedScanShape),
      'id, participant, scope, gateCode, sessionId, at, direction, method, result, reason, flag',
    ).optional(),
    people: toOneLine(list(PersonPresenceShape), 'participant {id, name}, firstIn, lastOut, minutes, assumedMinutes').optional(),
    ...optionalPageResultFields,
  },
  run: listAttendance,
})
