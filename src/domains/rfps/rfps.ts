import { sql } from 'kysely'
import { getDatabaseTime } from '../../kernel/database-time.ts'
import { notFound, preconditionFailed } from '../../kernel/errors.ts'
import { changeRecordState } from '../../kernel/states.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { addDays, toDayInZone } from '../../kernel/time.ts'
import type { HousingQueryContext, HousingContext } from '../housing/context.ts'
import { RECIPIENT_STATES, RFP_STATES } from './states.ts'
import type { RecipientRow, RfpRow } from './tables.ts'

/** The statuses of recipients who have the RFP and have not answered yet. */
export const PENDING_RECIPIENT_STATES = ['sent', 'opened', 'acknowledged', 'inProgress'] as const satisfies RecipientRow['status'][]
/** The statuses of recipients who still take part and get emails about the RFP. */
export const ACTIVE_RECIPIENT_STATES: readonly RecipientRow['status'][] = [...PENDING_RECIPIENT_STATES, 'submitted']

const unknownRfp = (rfpId: string) =>
  notFound(`No RFP ${rfpId} at this event. Use list_rfps to see all RFPs.`, { fix: { tool: 'list_rfps', arguments: {}, here: true } })

export async function getRfp(ctx: HousingQueryContext, rfpId: string): Promise<RfpRow> {
  const row = await eventDb(ctx).selectFrom('rfps').selectAll().where('id', '=', rfpId).executeTakeFirst()
  if (!row) throw unknownRfp(rfpId)
  return row
}

/** Locks an RFP. All changes to its rounds, recipients and responses require this lock. */
export async function lockRfp(ctx: HousingQueryContext, rfpId: string): Promise<RfpRow> {
  const row = await eventDb(ctx).selectFrom('rfps').selectAll().where('id', '=', rfpId).forNoKeyUpdate().executeTakeFirst()
  if (!row) throw unknownRfp(rfpId)
  return row
}

export async function getRecipient(ctx: HousingQueryContext, recipientId: string): Promise<RecipientRow> {
  const row = await eventDb(ctx).selectFrom('rfp_recipients').selectAll().where('id', '=', recipientId).executeTakeFirst()
  if (!row) throw notFound(`No recipient ${recipientId} of an RFP at this event`)
  return row
}

/** Locks the RFP of a recipient, and then reads the RFP and the recipient. */
export async function lockRfpOfRecipient(ctx: HousingQueryContext, recipientId: string): Promise<{ rfp: RfpRow; recipient: RecipientRow }> {
  const { rfp_id } = await getRecipient(ctx, recipientId)
  const rfp = await lockRfp(ctx, rfp_id)
  return { rfp, recipient: await getRecipient(ctx, recipientId) }
}

export const listRecipients = (ctx: HousingQueryContext, rfpId: string): Promise<RecipientRow[]> =>
  eventDb(ctx).selectFrom('rfp_recipients').selectAll().where('rfp_id', '=', rfpId).orderBy('id').execute()

/** Reads the names of an RFP's suppliers, by id. */
export async function readInvitedSupplierNames(ctx: HousingQueryContext, rfpId: string): Promise<Map<string, string>> {
  const { rows } = await sql<{ id: string; name: string }>`
    select s.id, s.name from rfp_recipients r
    join suppliers s on s.tenant_id = r.tenant_id and s.client_id = r.client_id and s.id = r.supplier_id
    where r.tenant_id = ${ctx.tenantId} and r.event_id = ${ctx.event.id} and r.rfp_id = ${rfpId}`.execute(ctx.db)
  return new Map(rows.map(({ id, name }) => [id, name]))
}

export const changeRecipientStatus = (
  ctx: HousingContext,
  recipient: RecipientRow,
  to: RecipientRow['status'],
  columns: Readonly<Record<string, unknown>> = {},
): Promise<RecipientRow> => changeRecordState(ctx, RECIPIENT_STATES, recipient, to, { columns })

export const markRfpAwarded = (ctx: HousingContext, rfp: RfpRow): Promise<RfpRow> => changeRecordState(ctx, RFP_STATES, rfp, 'awarded')

/** Stores the time of the first response, which locks the rubric of an RFP that is not sealed. */
export async function storeFirstSubmissionTime(ctx: HousingQueryContext, { id, first_submitted_at }: RfpRow, at: Date): Promise<void> {
  if (first_submitted_at === null) await eventDb(ctx).updateTable('rfps').set({ first_submitted_at: at }).where('id', '=', id).execute()
}

/** Whether suppliers can still respond: the RFP is distributed and its due time has not passed. */
export const isOpenForSuppliers = ({ status, response_due_at }: Pick<RfpRow, 'status' | 'response_due_at'>, now: Date): boolean =>
  status === 'distributed' && now < response_due_at

/** Throws if suppliers can no longer change the RFP's responses. Returns the database time. */
export async function requireRfpOpenForSuppliers(ctx: HousingContext, rfp: RfpRow): Promise<Date> {
  const now = await getDatabaseTime(ctx)
  if (!isOpenForSuppliers(rfp, now))
    throw preconditionFailed(`${rfp.number} takes no more responses: it is ${describeWhyRfpClosed(rfp, now)}`)
  return now
}

export const describeWhyRfpClosed = ({ status, response_due_at }: RfpRow, now: Date): string =>
  status === 'distributed' && now >= response_due_at ? 'past its due time' : status

const LINK_DAYS_AFTER_DECISION = 30

/**
 * Returns the last day of a supplier's link. A link that is requested after the decision day works for the same number of days from today.
 */
export function getSupplierLinkExpiryDay(
  { decision_on }: Pick<RfpRow, 'decision_on'>,
  { timezone }: { timezone: string },
  now: Date,
): string {
  const [usual, fromToday] = [decision_on, toDayInZone(timezone, now)].map((day) => addDays(day, LINK_DAYS_AFTER_DECISION)) as [
    string,
    string,
  ]
  return toDayInZone(timezone, now) <= usual ? usual : fromToday
}
