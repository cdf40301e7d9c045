import { brief, count, flag, id, instant, list, oneOf, page, search, someListResult, text } from '../../kernel/args.ts'
import { invalidArguments } from '../../kernel/errors.ts'
import { manageEventTool } from '../../kernel/manage-tool.ts'
import { editArguments } from '../../kernel/record-shapes.ts'
import { LEAD } from '../../domains/exhibitors/leads/lead-record.ts'
import { countLeads, LEAD_STATS_BY, LeadStats } from '../../domains/exhibitors/leads/lead-stats.ts'
import {
  createLead,
  describeLead,
  Lead,
  LEAD_SOURCES,
  LeadCapture,
  listLeads,
  moveLead,
  setLeadStatus,
  updateLead,
} from '../../domains/exhibitors/leads/manage-leads.ts'
import { participantReference, resolveParticipant } from '../../domains/registration/find/resolve-participant.ts'

const { rating, notes, tags, qualifiers, staffId, clear, ifRevision } = editArguments(LEAD)

/** The person of a new lead: named by id, email or confirmation number, or by the badge. */
function toReference(participantId: string | undefined, badgeId: string | undefined): string {
  const named = participantId ?? badgeId
  if (named === undefined || (participantId !== undefined && badgeId !== undefined))
    throw invalidArguments([{ path: 'participantId', message: 'give either participantId or badgeId' }])
  return named
}

export default manageEventTool({
  name: 'manage_lead',
  title: 'Manage leads',
  description:
    'See and edit the visitors that an exhibitor scanned at its stand, as that company sees them, with ratings. Actions: list, get, create, update (rating, notes, tags, qualifiers), move (captured by the wrong company), delete, restore, stats (counts per hour, day, staff, device). Not for scanners (use manage_device). Returns leads.',
  effect: 'change',
  area: 'exhibitors',
  input: {
    companyId: id('company'),
    source: oneOf(LEAD_SOURCES),
    since: instant(),
    minRating: count(0, 5),
    search: search(),
    includeDeleted: flag(),
    leadId: id('lead'),
    participantId: participantReference(),
    badgeId: text(100),
    note: text(2000),
    at: instant(),
    rating,
    notes,
    tags,
    qualifiers,
    staffId,
    clear,
    ifRevision,
    toCompanyId: id('company'),
    by: oneOf(LEAD_STATS_BY),
    ...page,
  },
  output: {
    leads: list(Lead).optional(),
    history: brief(list(LeadCapture), 'type, at, receivedAt, device, staff').optional(),
    stats: LeadStats.optional(),
    joined: flag().optional(),
    changed: list(text()).optional(),
    ...someListResult,
  },
  actions: (action) => ({
    list: action.read([], listLeads, {
      takes: ['companyId', 'source', 'since', 'minRating', 'search', 'includeDeleted', 'limit', 'cursor'],
    }),
    get: action.read(['leadId'], (ctx, input) => describeLead(ctx, input.leadId)),
    create: action.change(
      ['companyId'],
      async (ctx, { participantId, badgeId, ...input }) =>
        createLead(ctx, {
          ...input,
          participant: await resolveParticipant(ctx, toReference(participantId, badgeId), { includeTestData: true }),
        }),
      { takes: ['participantId', 'badgeId', 'note', 'at'] },
    ),
    update: action.change(['leadId'], updateLead, {
      takes: ['rating', 'notes', 'tags', 'qualifiers', 'staffId', 'clear', 'ifRevision'],
    }),
    move: action.change(['leadId', 'toCompanyId'], moveLead),
    delete: action.change(['leadId'], (ctx, input) => setLeadStatus(ctx, input.leadId, 'deleted')),
    restore: action.change(['leadId'], (ctx, input) => setLeadStatus(ctx, input.leadId, 'active')),
    stats: action.read(['by'], countLeads, { takes: ['companyId', 'limit', 'cursor'] }),
  }),
})
