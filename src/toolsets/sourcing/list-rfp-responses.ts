import { brief, flag, id, instant, list, page, pageResult } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { listResponses } from '../../domains/bids/list.ts'
import { PendingSupplier, RESPONSE_LINE, ResponseSummary } from '../../domains/bids/shapes.ts'

export default eventTool({
  name: 'list_rfp_responses',
  title: 'List responses to an RFP',
  description:
    'See which hotels and suppliers answered a request for proposals: offers (bids, quotes) with total cost, validity, missing answers; one in full, or all rounds. Sealed offers show only supplier and status until due. To weigh offers use compare_responses. Returns responses.',
  effect: 'read',
  permission: 'sourcing.read',
  input: { rfpId: id('rfp'), responseId: id('rfpResponse').optional(), allRounds: flag().default(false), ...page },
  output: {
    sealed: flag(),
    opensAt: instant().optional(),
    responses: list(brief(ResponseSummary, RESPONSE_LINE)),
    pending: list(brief(PendingSupplier, 'supplier { id, name }, status')),
    ...pageResult,
  },
  run: listResponses,
})
