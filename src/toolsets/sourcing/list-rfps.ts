import { id, list, pageArguments, pageResult } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { listRfps } from '../../domains/rfps/list.ts'
import { RfpDetail, rfpStatusSchema, RfpSummary } from '../../domains/rfps/shapes.ts'

export default eventTool({
  name: 'list_rfps',
  title: 'All RFPs: open tenders and their deadlines',
  description:
    'Show all requests for proposals to hotels and suppliers with status and closing dates: how many answered, turned down or stayed silent, open questions. With rfpId one in full: needs, recipients, questions, award. For offers use list_rfp_responses. Returns RFPs.',
  effect: 'read',
  toleratesLag: true,
  permission: 'sourcing.read',
  input: { status: list(rfpStatusSchema(), 5).optional(), rfpId: id('rfp').optional(), ...pageArguments },
  output: { rfps: list(RfpSummary), rfp: RfpDetail.optional(), ...pageResult },
  run: listRfps,
})
