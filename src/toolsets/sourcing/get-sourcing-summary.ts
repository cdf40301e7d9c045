import { z } from 'zod'
import { toOneLine, count, day, list, money, object, oneOf, text, untrustedText } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { getSourcingSummary, SOURCING_SUMMARY_PARTS } from '../../domains/awards/summary.ts'

const byState = () => z.record(z.string(), count())
const Counts = object({
  briefs: byState(),
  rfps: byState(),
  recipients: byState(),
  awards: byState(),
  contracts: byState(),
  envelopes: byState(),
  milestones: byState(),
})
const sums = { awarded: money(), contracted: money(), signed: money() }

export default eventTool({
  name: 'get_sourcing_summary',
  title: 'Overall status of the venue search, with deadlines',
  description:
    'Where finding and booking a place stands overall (procurement pipeline): briefs, RFPs, bids, awards and contracts by status, who answered, money awarded and signed, next dates, and what needs your attention with its tool. Not for one RFP (use list_rfps). Returns counts, sums, dates and actions.',
  effect: 'read',
  toleratesLag: true,
  permission: 'sourcing.read',
  input: { include: list(oneOf(SOURCING_SUMMARY_PARTS), SOURCING_SUMMARY_PARTS.length).optional() },
  output: {
    counts: toOneLine(Counts, 'briefs{}, rfps{}, recipients{}, awards{}, contracts{}, envelopes{}, milestones{} by status'),
    responses: toOneLine(object({ expected: count(), received: count(), turnedDown: count() }), 'expected, received, turnedDown'),
    ...sums,
    otherCurrencies: list(toOneLine(object(sums), 'awarded, contracted, signed')),
    nextDates: list(toOneLine(object({ on: day(), what: text(), id: text() }), 'on, what, id')),
    actions: list(toOneLine(object({ what: text(), tool: text(), id: text() }), 'what, tool, id')),
    briefs: list(
      toOneLine(object({ id: text(), title: untrustedText(), status: text(), version: count() }), 'id, title, status, version'),
    ).optional(),
    rfps: list(
      toOneLine(
        object({ id: text(), number: text(), title: untrustedText(), status: text(), responseDueAt: text() }),
        'id, number, title, status, responseDueAt',
      ),
    ).optional(),
    contracts: list(
      toOneLine(object({ id: text(), number: text(), status: text(), version: count() }), 'id, number, status, version'),
    ).optional(),
    milestones: list(
      toOneLine(object({ contractId: text(), code: text(), dueOn: day(), status: text() }), 'contractId, code, dueOn, status'),
    ).optional(),
  },
  run: getSourcingSummary,
})
