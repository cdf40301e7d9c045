import { z } from 'zod'
import { toOneLine, count, id, list, object, oneOf, untrustedText } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { comparisonArguments } from '../../domains/bids/shapes.ts'
import { askModelForSummary, summarizeComparison } from '../../domains/bids/summary/summarize.ts'

export default eventTool({
  name: 'summarize_comparison',
  title: 'Explain the bids in a paragraph',
  description:
    'Write a short text, not a big table, on how the offers of hotels differ, which bid is better and why: cheapest, best score, risks, gaps and a recommendation. Refused while sealed. For the figures use compare_responses. Returns a checked summary, bullets and a recommendation.',
  effect: 'read',
  permission: 'sourcing.read',
  openWorld: true,
  input: { ...comparisonArguments, maxWords: count(80, 600).default(250) },
  output: {
    summary: untrustedText(),
    bullets: list(toOneLine(object({ text: untrustedText(), refs: list(id()) }), 'text, refs[] (responseId)')),
    recommendation: toOneLine(object({ responseId: id(), why: untrustedText() }), 'responseId, why').optional(),
    method: oneOf(['model', 'rules']),
    comparisonHash: z.string(),
  },
  prefetch: askModelForSummary,
  run: summarizeComparison,
})
