import { z } from 'zod'
import { toOneLine, count, day, instant, list, object, oneOf, text, untrustedText } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { getOnsiteSummary } from '../../domains/attendance/onsite-summary.ts'
import { SCAN_SCOPES } from '../../domains/attendance/tables.ts'

const Gate = object({
  code: text(),
  in: count(),
  out: count(),
  inside: count(),
  capacity: count().optional(),
  refused: count(),
})
const Session = object({
  id: text(),
  title: untrustedText(),
  enrolled: count(),
  attended: count(),
  inside: count(),
  capacity: count().optional(),
  fill: z.number().optional(),
})

export default eventTool({
  name: 'get_onsite_summary',
  title: 'Live check-in figures',
  description:
    'Live check-in dashboard: how many people are checked in so far, in the building right now, not yet here or gone; inside count against capacity by entrance (gate) and session, refusals at the doors with reasons, arrivals over time. For names use list_attendance. Returns counts only.',
  effect: 'read',
  permission: 'onsite.read',
  toleratesLag: true,
  input: {
    day: day().optional(),
    scope: oneOf(SCAN_SCOPES).optional(),
    bucketMinutes: count(5, 1440).default(15),
  },
  output: {
    expected: count(),
    checkedIn: count(),
    notYet: count(),
    insideNow: count(),
    checkedOut: count(),
    noShow: count(),
    enteredNotComplete: count(),
    byGate: toOneLine(list(Gate), 'code, in, out, inside, capacity, refused'),
    bySession: toOneLine(list(Session), 'id, title, enrolled, attended, inside, capacity, fill (%)'),
    byTag: toOneLine(list(object({ tag: text(), expected: count(), checkedIn: count() })), 'tag, expected, checkedIn'),
    curve: toOneLine(list(object({ from: instant(), in: count(), out: count() })), 'from, in, out'),
    refusals: toOneLine(z.record(z.string(), count()), 'count by reason'),
    duplicates: count(),
    overrides: count(),
    devices: toOneLine(list(object({ name: untrustedText(), lastScanAt: instant() })), 'name, lastScanAt'),
  },
  run: getOnsiteSummary,
})
