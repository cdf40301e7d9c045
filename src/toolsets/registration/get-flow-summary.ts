import { code, day, flag, id, oneOf } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { VISIT_DEVICES, FlowSummary, getFlowSummary } from '../../domains/registration/flows/flow-summary.ts'

export default eventTool({
  name: 'get_flow_summary',
  title: 'Registration funnel of a flow',
  description:
    'Show where people give up in one registration form (attendee path, flow): the funnel from beginning to end, which page loses them, drop-off, abandonment and errors by page, conversion, median time to complete, phones or desktop, link source. Not for headcount (use get_registration_summary). Returns counts per page.',
  effect: 'read',
  toleratesLag: true,
  permission: 'registration.read',
  input: {
    flowSlug: code(),
    versionId: id('version').optional(),
    from: day().optional(),
    until: day().optional(),
    device: oneOf(VISIT_DEVICES).optional(),
    includeTestData: flag().default(false),
  },
  output: FlowSummary,
  run: getFlowSummary,
})
