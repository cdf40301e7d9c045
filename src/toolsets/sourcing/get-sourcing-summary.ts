import { z } from 'zod'
import { describeSchemaInOneLine, boundedInteger, day, list, money, object, oneOf, text, untrustedText } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { getSourcingSummary, SOURCING_SUMMARY_PARTS } from '../../domains/awards/summary.ts'

const byState = () => z.record(z.string(), boundedInteger())
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
    counts: describeSchemaInOneLine(Counts, 'briefs{}, rfps{}, recipients{}, awards{}, contracts{}, envelopes{}, milestones{} by status'),
    responses: describeSchemaInOneLine(
      object({ expected: boundedInteger(), received: boundedInteger(), turnedDown: boundedInteger() }),
      'expected, received, turnedDown',
    ),
    ...sums,
    otherCurrencies: list(describeSchemaInOneLine(object(sums), 'awarded, contracted, signed')),
    nextDates: list(describeSchemaInOneLine(object({ on: day(), what: text(), id: text() }), 'on, what, id')),
    actions: list(describeSchemaInOneLine(object({ what: text(), tool: text(), id: text() }), 'what, tool, id')),
    briefs: list(
      describeSchemaInOneLine(
        object({ id: text(), title: untrustedText(), status: text(), version: boundedInteger() }),
        'id, title, status, version',
      ),
    ).optional(),
    rfps: list(
      describeSchemaInOneLine(
        object({ id: text(), number: text(), title: untrustedText(), status: text(), responseDueAt: text() }),
        'id, number, title, status, responseDueAt',
      ),
    ).optional(),
    contracts: list(
      describeSchemaInOneLine(
        object({ id: text(), number: text(), status: text(), version: boundedInteger() }),
        'id, number, status, version',
      ),
    ).optional(),
    milestones: list(
      describeSchemaInOneLine(
        object({ contractId: text(), code: text(), dueOn: day(), status: text() }),
        'contractId, code, dueOn, status',
      ),
    ).optional(),
  },
  run: getSourcingSummary,
})
