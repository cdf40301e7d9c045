import { z } from 'zod'
import { toOneLine, day, list, money, object, oneOf, text, untrustedText } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { SAVINGS_BASELINES, computeAwardSavings } from '../../domains/awards/savings.ts'

const figures = { baseline: money(), negotiated: money(), savings: money(), percent: z.number().nullable(), avoidance: money() }
const Parts = object({ rooms: money(), space: money(), food: money(), av: money(), fees: money() })
const Line = object({ rfp: text(), supplier: untrustedText(), ...figures, parts: Parts })
const Excluded = object({ rfp: text(), supplier: untrustedText(), reason: text() })

export default eventTool({
  name: 'get_sourcing_savings',
  title: 'Negotiation savings: proof that it paid off',
  description:
    'How much money negotiating (haggling) with hotels, venues and suppliers saved: awards against the first offer, budget, highest bid or last year, split by rooms, food and so on. To compare bids use compare_responses. Returns lines, totals and exclusions.',
  effect: 'read',
  toleratesLag: true,
  permission: 'sourcing.read',
  input: {
    baseline: oneOf(SAVINGS_BASELINES).default('firstOffer'),
    scope: oneOf(['event', 'client']).default('event'),
    from: day().optional(),
    until: day().optional(),
  },
  output: {
    lines: list(toOneLine(Line, 'rfp, supplier, baseline, negotiated, savings, percent, avoidance, parts { rooms ... }')),
    totals: toOneLine(object(figures), 'baseline, negotiated, savings, percent, avoidance'),
    excluded: list(toOneLine(Excluded, 'rfp, supplier, reason')),
  },
  run: computeAwardSavings,
})
