import { toOneLine, flag, id, instant, list, pageArguments, pageResult } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { listResponses } from '../../domains/bids/list.ts'
import { SupplierWithoutResponse, RFP_RESPONSE_FIELDS_SUMMARY, RfpResponseSummary } from '../../domains/bids/shapes.ts'

export default eventTool({
  name: 'list_rfp_responses',
  title: 'Bids received for an RFP',
  description:
    'See which proposals came in for an RFP, who has quoted so far and who is silent: bids received with total cost, failed must-haves; one in full, or by round. Sealed ones show only supplier and status until due. To weigh offers use compare_responses. Returns responses.',
  effect: 'read',
  permission: 'sourcing.read',
  input: { rfpId: id('rfp'), responseId: id('rfpResponse').optional(), allRounds: flag().default(false), ...pageArguments },
  output: {
    sealed: flag(),
    opensAt: instant().optional(),
    responses: list(toOneLine(RfpResponseSummary, RFP_RESPONSE_FIELDS_SUMMARY)),
    pending: list(toOneLine(SupplierWithoutResponse, 'supplier { id, name }, status')),
    ...pageResult,
  },
  run: listResponses,
})
