import { createHash } from 'node:crypto'
import { type Selectable, sql } from 'kysely'
import type { Tables } from '../../../kernel/columns.ts'
import { foldEmailCase } from '../../../kernel/email-address.ts'
import { eventDb, type EventScope } from '../../../kernel/scoped-db.ts'
import type { Flow } from '../../configuration/schema/event-config.ts'
import { changeStateOfRows } from '../../../kernel/states.ts'
import { INVITE_LIST_STATES } from '../states.ts'

export type InviteListEntry = Selectable<Tables['invite_list_entries']>

const hashOf = (code: string) => createHash('sha256').update(code.trim()).digest()

/** Finds an entry of a flow's invite list by email address or code. */
export async function findInvite(
  ctx: EventScope,
  { slug }: Flow,
  by: { email: string } | { code: string },
): Promise<InviteListEntry | null> {
  const listed = eventDb(ctx).selectFrom('invite_list_entries').selectAll().where('flow_slug', '=', slug).where('status', '<>', 'removed')
  const found = 'email' in by ? listed.where('email_norm', '=', foldEmailCase(by.email)) : listed.where('token_hash', '=', hashOf(by.code))
  return (await found.executeTakeFirst()) ?? null
}

/** Reads the slugs of the flows with at least one entry on their invite list. */
export async function readFlowSlugsWithInvites(ctx: EventScope): Promise<ReadonlySet<string>> {
  const listed = await eventDb(ctx)
    .selectFrom('invite_list_entries')
    .select('flow_slug')
    .distinct()
    .where('status', '<>', 'removed')
    .execute()
  return new Set(listed.map(({ flow_slug }) => flow_slug))
}

/** Lists the unused invitations of these lower-case email addresses to a flow. */
export const listUnusedInvites = (ctx: EventScope, flowSlug: string, emails: readonly string[]): Promise<InviteListEntry[]> =>
  eventDb(ctx)
    .selectFrom('invite_list_entries')
    .selectAll()
    .where('flow_slug', '=', flowSlug)
    .where('status', 'in', ['invited', 'opened', 'declined'])
    .where('email_norm', '=', sql<string>`any(${emails})`)
    .execute()

const OPENED = INVITE_LIST_STATES.move(INVITE_LIST_STATES.initial, 'opened')
const REGISTERED = INVITE_LIST_STATES.move(OPENED, 'registered')

/** Links invitations to imported registrations. Invitations of complete registrations count as used. */
export async function linkInvitesToImportedPeople(
  { db, tenantId, event }: EventScope,
  links: readonly { inviteId: string; participantId: string; complete: boolean }[],
): Promise<void> {
  if (links.length === 0) return
  await sql`
    update invite_list_entries i set participant_id = l."participantId",
      status = case when l.complete then ${REGISTERED} when i.status = ${INVITE_LIST_STATES.initial} then ${OPENED} else i.status end
    from jsonb_to_recordset(${JSON.stringify(links)}::jsonb) as l("inviteId" text, "participantId" text, complete boolean)
    where i.tenant_id = ${tenantId} and i.event_id = ${event.id} and i.id = l."inviteId" and i.status = any(${INVITE_LIST_STATES.before(REGISTERED)})`.execute(
    db,
  )
}

/** Finds the status of the invitation with this code, in any flow; null if the code is unknown. */
export async function findInviteStatus(ctx: EventScope, code: string): Promise<InviteListEntry['status'] | null> {
  const entry = await eventDb(ctx)
    .selectFrom('invite_list_entries')
    .select('status')
    .where('token_hash', '=', hashOf(code))
    .executeTakeFirst()
  return entry?.status ?? null
}

/** Whether the invitation was used by another participant. An invitation is for one person. */
export const isInviteUsed = ({ status, participant_id }: InviteListEntry, participantId: string | null): boolean =>
  status === 'registered' && participant_id !== participantId

/** Locks the participant's invitation. Returns whether the participant has one. */
export async function lockInviteOfParticipant(ctx: EventScope, participantId: string): Promise<boolean> {
  const own = await eventDb(ctx)
    .selectFrom('invite_list_entries')
    .select('id')
    .where('participant_id', '=', participantId)
    .where('status', '<>', 'removed')
    .forNoKeyUpdate()
    .executeTakeFirst()
  return own !== undefined
}

/** Links an invitation to a participant. Returns false if another participant has already registered with it. */
export async function linkInviteToParticipant(ctx: EventScope, { id, status }: InviteListEntry, participantId: string): Promise<boolean> {
  if (status === 'invited')
    await changeStateOfRows(eventDb(ctx), INVITE_LIST_STATES, 'opened').where('id', '=', id).where('status', '=', status).execute()
  const { numUpdatedRows } = await eventDb(ctx)
    .updateTable('invite_list_entries')
    .set({ participant_id: participantId })
    .where('id', '=', id)
    // Another participant may already have registered with the invitation. The condition excludes such an invitation.
    .where((eb) => eb.or([eb('status', '<>', 'registered'), eb('participant_id', '=', participantId)]))
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Marks the participant's invitation as used. */
export async function markInviteAsUsed(ctx: EventScope, participantId: string): Promise<void> {
  await changeStateOfRows(eventDb(ctx), INVITE_LIST_STATES, 'registered')
    .where('participant_id', '=', participantId)
    .where('status', '<>', 'removed')
    .execute()
}
