import { z } from 'zod'
import { describeSchemaInOneLine, boundedInteger, day, instant, list, object, oneOf, text, untrustedText } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { getOnsiteSummary } from '../../domains/attendance/onsite-summary.ts'
import { SCAN_SCOPES } from '../../domains/attendance/tables.ts'

const Gate = object({
  code: text(),
  in: boundedInteger(),
  out: boundedInteger(),
  inside: boundedInteger(),
  capacity: boundedInteger().optional(),
  refused: boundedInteger(),
})
const Session = object({
  id: text(),
  title: untrustedText(),
  enrolled: boundedInteger(),
  attended: boundedInteger(),
  inside: boundedInteger(),
  capacity: boundedInteger().optional(),
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
    bucketMinutes: boundedInteger(5, 1440).default(15),
  },
  output: {
    expected: boundedInteger(),
    checkedIn: boundedInteger(),
    notYet: boundedInteger(),
    insideNow: boundedInteger(),
    checkedOut: boundedInteger(),
    noShow: boundedInteger(),
    enteredNotComplete: boundedInteger(),
    byGate: describeSchemaInOneLine(list(Gate), 'code, in, out, inside, capacity, refused'),
    bySession: describeSchemaInOneLine(list(Session), 'id, title, enrolled, attended, inside, capacity, fill (%)'),
    byTag: describeSchemaInOneLine(
      list(object({ tag: text(), expected: boundedInteger(), checkedIn: boundedInteger() })),
      'tag, expected, checkedIn',
    ),
    curve: describeSchemaInOneLine(list(object({ from: instant(), in: boundedInteger(), out: boundedInteger() })), 'from, in, out'),
    refusals: describeSchemaInOneLine(z.record(z.string(), boundedInteger()), 'count by reason'),
    duplicates: boundedInteger(),
    overrides: boundedInteger(),
    devices: describeSchemaInOneLine(list(object({ name: untrustedText(), lastScanAt: instant() })), 'name, lastScanAt'),
  },
  run: getOnsiteSummary,
})
