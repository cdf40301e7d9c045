import { id } from '../../kernel/args.ts'
import { multiActionEventTool } from '../../kernel/manage-tool.ts'
import {
  LEAD_EDIT_ARGUMENTS,
  LEAD_FILTER_ARGUMENTS,
  LEAD_RESULT_FIELDS,
  LEAD_STATS_ARGUMENTS,
  NEW_LEAD_ARGUMENTS,
} from '../../domains/exhibitors/leads/lead-shapes.ts'
import { countLeads } from '../../domains/exhibitors/leads/lead-stats.ts'
import {
  createLead,
  describeLead,
  getLeadPersonIdentifier,
  listLeads,
  moveLead,
  setLeadStatus,
  updateLead,
} from '../../domains/exhibitors/leads/manage-leads.ts'
import { participantReferenceSchema, resolveParticipant } from '../../domains/registration/find/resolve-participant.ts'

const names = <T extends object>(shape: T) => Object.keys(shape) as (keyof T & string)[]

export default multiActionEventTool({
  name: 'manage_lead',
  title: 'Manage leads',
  description:
    'See and edit the visitors that an exhibitor scanned at its stand, as that company sees them, with ratings. Actions: list, get, create, update (rating, notes, tags, qualifiers), move (captured by the wrong company), delete, restore, stats (counts per hour, day, staff, device). Not for scanners (use manage_device). Returns leads.',
  effect: 'change',
  area: 'exhibitors',
  input: {
    ...LEAD_FILTER_ARGUMENTS,
    leadId: id('lead'),
    participantId: participantReferenceSchema(),
    ...NEW_LEAD_ARGUMENTS,
    ...LEAD_EDIT_ARGUMENTS,
    toCompanyId: id('company'),
    ...LEAD_STATS_ARGUMENTS,
  },
  output: LEAD_RESULT_FIELDS,
  actions: (action) => ({
    list: action.read([], listLeads, { takes: names(LEAD_FILTER_ARGUMENTS) }),
    get: action.read(['leadId'], (ctx, { leadId }) => describeLead(ctx, leadId)),
    create: action.change(
      ['companyId'],
      async (ctx, input) => {
        const participant = await resolveParticipant(ctx, getLeadPersonIdentifier(input), { includeTestData: true })
        return createLead(ctx, { ...input, participant })
      },
      { takes: ['participantId', ...names(NEW_LEAD_ARGUMENTS)] },
    ),
    update: action.change(['leadId'], updateLead, { takes: names(LEAD_EDIT_ARGUMENTS) }),
    move: action.change(['leadId', 'toCompanyId'], moveLead),
    delete: action.change(['leadId'], (ctx, { leadId }) => setLeadStatus(ctx, leadId, 'deleted')),
    restore: action.change(['leadId'], (ctx, { leadId }) => setLeadStatus(ctx, leadId, 'active')),
    stats: action.read(['by'], countLeads, { takes: ['companyId'] }),
  }),
})
