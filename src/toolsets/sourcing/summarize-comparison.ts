import { z } from 'zod'
import { brief, count, id, list, object, oneOf, untrustedText } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { comparisonArguments } from '../../domains/bids/shapes.ts'
import { requestSummary, summarizeComparison } from '../../domains/bids/summary/summarize.ts'

export default eventTool({
  name: 'summarize_comparison',
  title: 'Summarize a comparison of responses',
  description:
    'Explain in words how offers of hotels and venues differ: cheapest, best score, largest differences, risks, gaps, and which to recommend. Refused while sealed. For the figures use compare_responses. Returns a checked summary, bullets and a recommendation.',
  effect: 'read',
  permission: 'sourcing.read',
  openWorld: true,
  input: { ...comparisonArguments, maxWords: count(80, 600).default(250) },
  output: {
    summary: untrustedText(),
    bullets: list(brief(object({ text: untrustedText(), refs: list(id()) }), 'text, refs[] (responseId)')),
    recommendation: brief(object({ responseId: id(), why: untrustedText() }), 'responseId, why').optional(),
    method: oneOf(['model', 'rules']),
    comparisonHash: z.string(),
  },
  prefetch: requestSummary,
  run: summarizeComparison,
})
