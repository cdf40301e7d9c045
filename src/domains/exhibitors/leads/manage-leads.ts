import { sql } from 'kysely'
import { announceToWebhooks } from '../../../kernel/announce.ts'
import { recordChange } from '../../../kernel/audit.ts'
import type { EventContext } from '../../../kernel/context.ts'
import { conflict, invalidArguments, notFound, preconditionFailed } from '../../../kernel/errors.ts'
import { readPage } from '../../../kernel/page.ts'
import { editRecord, type RecordEdit, lockRecord } from '../../../kernel/records.ts'
import { eventDb, joinRowsOfSameEvent } from '../../../kernel/scoped-db.ts'
import { buildWordMatchCondition } from '../../../kernel/search.ts'
import { changeRecordState } from '../../../kernel/states.ts'
import { formatInstant } from '../../../kernel/time.ts'
import { countCappedTotal } from '../../../kernel/totals.ts'
import type { Configuration } from '../../configuration/read.ts'
import { getCompany } from '../companies.ts'
import { readLiveOrTestConfiguration } from '../context.ts'
import { validateQualifierAnswers } from '../devices/qualifiers.ts'
import { recordLeadCapture } from '../leads.ts'
import type { Person } from '../people.ts'
import { PARTICIPANT_SHARING_COLUMNS_SQL } from '../scan-sql.ts'
import { type ParticipantWithPictures, toPersonShownOnScanner } from '../shown-person.ts'
import { LEAD_STATES } from '../states.ts'
import type { LeadCaptureType } from '../tables.ts'
import { LEAD_RECORD } from './lead-record.ts'
import { announceRemovedLead, moveLeads } from './move-leads.ts'

/** Maximum number of captures (such as badge scans) shown with a lead, newest first. The field `captures` counts all of them. */
const MAX_SHOWN_CAPTURES = 100

const PARTICIPANT = sql`participants p where p.tenant_id = leads.tenant_id and p.event_id = leads.event_id and p.id = leads.participant_id`

const selectLeads = (ctx: EventContext) =>
  eventDb(ctx)
    .selectFrom('leads')
    .innerJoin('companies', (join) => joinRowsOfSameEvent(join, 'companies.id', 'leads.company_id'))
    .selectAll('leads')
    .select('companies.name as company_name')
    .select(
      sql<ParticipantWithPictures>`(select to_jsonb(shown) from (select ${sql.raw(PARTICIPANT_SHARING_COLUMNS_SQL)} from ${PARTICIPANT}) shown)`.as(
        'person',
      ),
    )

type ListedLead = Awaited<ReturnType<ReturnType<typeof selectLeads>['executeTakeFirstOrThrow']>>

const toInstant = (date: Date | null) => (date === null ? null : formatInstant(date))

const PHONES: readonly string[] = ['workPhone', 'mobilePhone']

/** Returns leads as their company sees them. Phone numbers and answers also need the permission personal.read. */
const leadShape =
  (ctx: EventContext, { config, facts }: Configuration) =>
  (row: ListedLead) => {
    const context = { tenantCode: ctx.tenantCode, now: facts.now, locale: facts.locale, config }
    const { fields, customFields } = toPersonShownOnScanner(ctx, context, row.person)
    const personal = ctx.permissions.has('personal.read')
    return {
      id: row.id,
      company: { companyId: row.company_id, name: row.company_name },
      participantId: row.participant_id,
      source: row.source,
      status: row.status,
      captures: row.captures,
      firstCapturedAt: toInstant(row.first_captured_at),
      lastCapturedAt: toInstant(row.last_captured_at),
      rating: row.rating,
      notes: row.notes,
      tags: row.tags,
      staffId: row.staff_id,
      fields: Object.fromEntries(Object.entries(fields).filter(([field]) => personal || !PHONES.includes(field))),
      ...(personal ? { customFields, qualifiers: row.qualifiers } : {}),
      revision: row.revision,
    }
  }

interface LeadFilter {
  companyId?: string | undefined
  source?: LeadCaptureType | undefined
  since?: string | undefined
  minRating?: number | undefined
  search?: string | undefined
  unrated?: boolean | undefined
  staffId?: string | undefined
  includeDeleted?: boolean | undefined
  limit?: number | undefined
  cursor?: string | undefined
}

/** Test leads are listed only for a test company that the caller names. */
export const isTestCompany = async (ctx: EventContext, companyId: string | undefined): Promise<boolean> =>
  companyId === undefined ? false : (await getCompany(ctx, companyId)).is_test_data

/** Lists leads, the newest first. The search covers names only, because a match must not reveal a field that the person restricts. */
export async function listLeads(ctx: EventContext, { limit = 25, cursor, ...filter }: LeadFilter) {
  const { companyId, source, since, minRating, search, unrated = false, staffId, includeDeleted = false } = filter
  const isTest = await isTestCompany(ctx, companyId)
  let rows = selectLeads(ctx).where('leads.is_test_data', '=', isTest)
  if (companyId !== undefined) rows = rows.where('leads.company_id', '=', companyId)
  if (source !== undefined) rows = rows.where('leads.source', '=', source)
  if (since !== undefined) rows = rows.where(sql`coalesce(leads.last_captured_at, leads.created_at)`, '>=', since)
  if (minRating !== undefined) rows = rows.where('leads.rating', '>=', minRating)
  if (unrated) rows = rows.where('leads.rating', 'is', null)
  if (staffId !== undefined) rows = rows.where('leads.staff_id', '=', staffId)
  if (!includeDeleted) rows = rows.where('leads.status', '=', 'active')
  if (search !== undefined)
    rows = rows.where(
      sql<boolean>`exists (select from ${PARTICIPANT} and ${buildWordMatchCondition(sql`p.searched`, search)}
        and ${buildWordMatchCondition(sql`lanyard_searched(p.first_name, p.last_name)`, search)})`,
    )
  const { items, ...page } = await readPage(
    ctx,
    { limit, cursor },
    {
      rows,
      order: [{ by: sql`leads.id`, type: 'text', descending: true, of: (row) => row.id }],
      shape: leadShape(ctx, await readLiveOrTestConfiguration(ctx, isTest)),
    },
  )
  return { leads: items, ...(await countCappedTotal(ctx, rows)), ...page }
}

export async function describeLead(ctx: EventContext, leadId: string) {
  const row = await selectLeads(ctx).where('leads.id', '=', leadId).executeTakeFirst()
  if (!row) throw noSuchLead(leadId)
  const { rows } = await sql<{ type: LeadCaptureType; at: Date; received_at: Date; device: string | null; staff: string | null }>`
    select c.type, c.at, c.received_at, d.name as device, s.name as staff from lead_captures c
    left join lead_devices d on d.tenant_id = c.tenant_id and d.event_id = c.event_id and d.id = c.device_id
    left join exhibitor_staff s on s.tenant_id = c.tenant_id and s.event_id = c.event_id and s.id = c.staff_id
    where c.tenant_id = ${ctx.tenantId} and c.event_id = ${ctx.event.id} and c.lead_id = ${leadId}
    order by c.at desc, c.id desc limit ${MAX_SHOWN_CAPTURES}`.execute(ctx.db)
  return {
    leads: [leadShape(ctx, await readLiveOrTestConfiguration(ctx, row.is_test_data))(row)],
    history: rows.map(({ received_at, at, ...capture }) => ({ ...capture, at: formatInstant(at), receivedAt: formatInstant(received_at) })),
  }
}

const noSuchLead = (leadId: string) => notFound(`No lead ${leadId} at this event`)

async function lockLead(ctx: EventContext, leadId: string) {
  const row = await lockRecord(ctx, LEAD_RECORD, { tenant_id: ctx.tenantId, event_id: ctx.event.id, id: leadId })
  if (!row) throw noSuchLead(leadId)
  return row
}

/**
 * Returns the argument that identifies the person of a new lead: their id, email address or confirmation number, or the id on their badge.
 */
export function getLeadPersonIdentifier({
  participantId,
  badgeId,
}: {
  participantId?: string | undefined
  badgeId?: string | undefined
}): string {
  const named = participantId ?? badgeId
  if (named === undefined || (participantId !== undefined && badgeId !== undefined))
    throw invalidArguments([{ path: 'participantId', message: 'give either participantId or badgeId' }])
  return named
}

interface NewLead {
  companyId: string
  participant: Person
  note?: string | undefined
  at?: string | undefined
}

/** Adds a lead that was not scanned. It is in the lead's history but does not count as a badge scan. A deleted lead is restored. */
export async function createLead(ctx: EventContext, { companyId, participant, note, at }: NewLead) {
  const company = await getCompany(ctx, companyId)
  if (company.status === 'cancelled') throw preconditionFailed(`${company.code} has cancelled and cannot get leads`)
  if (participant.is_test_data || company.is_test_data)
    throw preconditionFailed('Leads cannot be added for test participants or test companies')
  if (participant.status !== 'complete')
    throw preconditionFailed(`This registration is ${participant.status}: only completed ones become leads`)
  const { facts } = await readLiveOrTestConfiguration(ctx, false)
  const instantOf = at === undefined ? facts.now : new Date(at)
  if (instantOf > facts.now) throw invalidArguments([{ path: 'at', message: 'must not be in the future' }])
  const known = await eventDb(ctx)
    .selectFrom('leads')
    .select(['id', 'status'])
    .where('company_id', '=', companyId)
    .where('participant_id', '=', participant.id)
    .executeTakeFirst()
  if (known?.status === 'active') throw conflict(`${company.code} already has this lead: ${known.id}. Change it with action update`)
  const leadId = await recordLeadCapture(ctx, {
    companyId,
    participantId: participant.id,
    isTestData: false,
    type: 'manual',
    at: instantOf,
  })
  recordChange(ctx, { kind: 'lead', id: leadId, after: { companyId, participantId: participant.id, status: 'active' } })
  if (note !== undefined) await editRecord(ctx, LEAD_RECORD, await lockLead(ctx, leadId), { notes: note })
  return { ...(await describeLead(ctx, leadId)), changed: ['status'] }
}

export async function updateLead(ctx: EventContext, { leadId, ...edit }: RecordEdit<typeof LEAD_RECORD> & { leadId: string }) {
  const lead = await lockLead(ctx, leadId)
  if (edit.qualifiers !== undefined) {
    const { config } = await readLiveOrTestConfiguration(ctx, lead.is_test_data)
    const { leftOut } = validateQualifierAnswers(config, edit.qualifiers as Record<string, unknown>)
    if (leftOut.length > 0)
      throw invalidArguments(leftOut.map((path) => ({ path, message: 'is no valid answer to a lead question of this event' })))
  }
  if (edit.staffId !== undefined && edit.staffId !== null) await assertStaffOf(ctx, edit.staffId, lead.company_id)
  const { changed } = await editRecord(ctx, LEAD_RECORD, lead, edit)
  return { ...(await describeLead(ctx, leadId)), changed }
}

async function assertStaffOf(ctx: EventContext, staffId: string, companyId: string): Promise<void> {
  const staff = await eventDb(ctx)
    .selectFrom('exhibitor_staff')
    .select(['company_id', 'status'])
    .where('id', '=', staffId)
    .executeTakeFirst()
  if (!staff) throw notFound(`No booth staff member ${staffId} at this event`)
  if (staff.company_id !== companyId || staff.status === 'removed')
    throw preconditionFailed(`Staff member ${staffId} does not work for the company that has this lead`)
}

/** Moves a lead to the company it belongs to. If that company already has a lead about the same person, the two leads are joined. */
export async function moveLead(ctx: EventContext, { leadId, toCompanyId }: { leadId: string; toCompanyId: string }) {
  const lead = await lockLead(ctx, leadId)
  const company = await getCompany(ctx, toCompanyId)
  if (company.is_test_data !== lead.is_test_data) throw preconditionFailed('A lead cannot move between test data and real data')
  if (company.status === 'cancelled') throw preconditionFailed(`${company.code} has cancelled and cannot get leads`)
  if (company.id === lead.company_id) return { ...(await describeLead(ctx, leadId)), changed: [] }
  const joined = await moveLeads(ctx, { fromCompanyId: lead.company_id, toCompanyId, isTestData: lead.is_test_data, leadId })
  const keptId = joined.get(leadId) ?? leadId
  const [before, after] = [{ companyId: lead.company_id }, { companyId: toCompanyId, ...(joined.size > 0 ? { joinedInto: keptId } : {}) }]
  recordChange(ctx, { kind: 'lead', id: leadId, before, after })
  return { ...(await describeLead(ctx, keptId)), changed: ['company'], ...(joined.size > 0 ? { joined: true } : {}) }
}

/** Deletes or restores a lead. Deletion hides it from the company; its captures are kept, and a new scan restores it. */
export async function setLeadStatus(ctx: EventContext, leadId: string, to: 'active' | 'deleted') {
  const lead = await lockLead(ctx, leadId)
  if (lead.status === to) return { ...(await describeLead(ctx, leadId)), changed: [] }
  await changeRecordState(ctx, LEAD_STATES, lead, to)
  const { is_test_data: isTestData } = lead
  if (to === 'deleted') announceRemovedLead(ctx, leadId, isTestData)
  else
    announceToWebhooks(ctx, {
      kind: 'lead.updated',
      entity: 'lead',
      id: leadId,
      changed: ['companyId', 'participantId', 'captures'],
      isTestData,
    })
  return { ...(await describeLead(ctx, leadId)), changed: ['status'] }
}
