import { sql } from 'kysely'
import { announceToWebhooks, announceClientChangeToWebhooks, listChangedFields } from '../../kernel/announce.ts'
import { recordChange } from '../../kernel/audit.ts'
import type { Context } from '../../kernel/context.ts'
import { conflict, invalidArguments, notFound } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { tenantDb } from '../../kernel/scoped-db.ts'
import { type ContactRow, listSystemsWithConflictingIds, mergeContactRecords } from './merged-record.ts'
import type { RelinkedContactReference } from './tables.ts'
import { changeStateOfRows } from '../../kernel/states.ts'
import { DUPLICATE_CANDIDATE_STATES } from './states.ts'

interface ContactMerge {
  clientId: string
  survivorId: string
  loserId: string
}

/** Merges two contacts: the survivor gets the data of both, and all references to the other contact are moved. */
export async function mergeContacts(ctx: Context, merging: ContactMerge): Promise<{ id: string }> {
  const { clientId, survivorId, loserId } = merging
  if (survivorId === loserId) throw invalidArguments([{ path: 'loserId', message: 'is the contact itself' }])
  const [survivor, loser] = await lockContacts(ctx, merging)
  const [ownEmails, losersEmails] = [await listEmails(ctx, survivorId), await listEmails(ctx, loserId)]

  await tenantDb(ctx).updateTable('contacts').set({ merged_into: survivorId }).where('id', '=', loserId).execute()
  await moveEmails(ctx, merging)
  const relinked = await moveReferences(ctx, merging)
  const { external_ids, provenance, ...columns } = mergeContactRecords(survivor, loser)
  const after = await tenantDb(ctx)
    .updateTable('contacts')
    .set({ ...columns, external_ids: JSON.stringify(external_ids), provenance: JSON.stringify(provenance) })
    .where('id', '=', survivorId)
    .returningAll()
    .executeTakeFirstOrThrow()
  const pairs = await updatePairs(ctx, merging)
  const before = { survivor: { ...survivor, emails: ownEmails }, loser: { ...loser, emails: losersEmails }, pairs }
  await ctx.db
    .insertInto('contact_merges')
    .values({
      tenant_id: ctx.tenantId,
      client_id: clientId,
      id: newId(),
      survivor_id: survivorId,
      loser_id: loserId,
      before: JSON.stringify(before),
      relinked: JSON.stringify(relinked),
      merged_by: ctx.actor.id,
      undone_at: null,
    })
    .execute()
  announceMerge(ctx, merging, relinked, listChangedFields(survivor, after))
  return { id: survivorId }
}

/** Locks registrations before contacts, in the same order as a new registration does, to prevent deadlocks. */
async function lockContacts(ctx: Context, { clientId, survivorId, loserId }: ContactMerge): Promise<[ContactRow, ContactRow]> {
  await sql`
    select from participants where tenant_id = ${ctx.tenantId} and contact_id = ${loserId} order by event_id, id for no key update`.execute(
    ctx.db,
  )
  const rows = await tenantDb(ctx)
    .selectFrom('contacts')
    .selectAll()
    .where('client_id', '=', clientId)
    .where('id', 'in', [survivorId, loserId])
    .orderBy('id')
    .forUpdate()
    .execute()
  const found = (id: string) => {
    const row = rows.find((one) => one.id === id)
    if (!row) throw notFound(`No contact ${id} of this client`)
    if (row.merged_into) throw conflict(`${id} was merged into ${row.merged_into}. Use that contact instead`)
    return row
  }
  const [survivor, loser] = [found(survivorId), found(loserId)]
  const systems = listSystemsWithConflictingIds(survivor, loser)
  if (systems.length > 0)
    throw conflict(`${survivorId} and ${loserId} are two different people: they have different ids at ${systems.join(', ')}`)
  return [survivor, loser]
}

const listEmails = (ctx: Context, contactId: string) =>
  tenantDb(ctx)
    .selectFrom('contact_emails')
    .select(['address', 'is_primary', 'verified_at', 'bounced'])
    .where('contact_id', '=', contactId)
    .orderBy('address_norm')
    .execute()

async function moveEmails({ db, tenantId }: Context, { survivorId, loserId }: ContactMerge): Promise<void> {
  await sql`
    delete from contact_emails m where m.tenant_id = ${tenantId} and m.contact_id = ${loserId} and exists (
      select from contact_emails o where o.tenant_id = m.tenant_id and o.contact_id = ${survivorId} and o.address_norm = m.address_norm)`.execute(
    db,
  )
  await sql`
    update contact_emails set contact_id = ${survivorId}, is_primary = false where tenant_id = ${tenantId} and contact_id = ${loserId}`.execute(
    db,
  )
}

/** Moves registrations, speakers, and earlier merged contacts from the loser (the contact that is removed) to the survivor. */
async function moveReferences({ db, tenantId }: Context, { survivorId, loserId }: ContactMerge): Promise<RelinkedContactReference[]> {
  const { rows } = await sql<RelinkedContactReference>`
    with people as (
      update participants set contact_id = ${survivorId} where tenant_id = ${tenantId} and contact_id = ${loserId} returning event_id, id
    ), speaking as (
      update speakers set contact_id = ${survivorId} where tenant_id = ${tenantId} and contact_id = ${loserId} returning event_id, id
    ), earlier as (
      update contacts set merged_into = ${survivorId} where tenant_id = ${tenantId} and merged_into = ${loserId} returning id
    )
    select 'participant' as kind, event_id as "eventId", id from people
    union all select 'speaker', event_id, id from speaking
    union all select 'contact', null, id from earlier
    order by 1, 2, 3`.execute(db)
  return rows
}

/**
 * Closes the possible-duplicate pair of the two contacts; other pairs of the removed contact (the loser) are recalculated for the
 * survivor.
 */
async function updatePairs({ db, tenantId, actor }: Context, { clientId, survivorId, loserId }: ContactMerge): Promise<unknown[]> {
  await changeStateOfRows(tenantDb({ db, tenantId }), DUPLICATE_CANDIDATE_STATES, 'merged')
    .set({ decided_by: actor.id, decided_at: sql<Date>`lanyard_now()` })
    .where('a', '=', sql<string>`least(${survivorId}::text, ${loserId}::text)`)
    .where('b', '=', sql<string>`greatest(${survivorId}::text, ${loserId}::text)`)
    .execute()
  const { rows } = await sql<{ a: string; b: string }>`
    delete from contact_pairs where tenant_id = ${tenantId} and client_id = ${clientId} and status = 'open' and ${loserId} in (a, b)
      and ${survivorId}::text not in (a, b) returning *`.execute(db)
  const others = rows.map(({ a, b }) => (a === loserId ? b : a))
  await sql`select contact_pair_up(${tenantId}, ${clientId}, o, ${survivorId}, null) from unnest(${others}::text[]) o`.execute(db)
  return rows
}

function announceMerge(
  ctx: Context,
  { clientId, survivorId, loserId }: ContactMerge,
  relinked: readonly RelinkedContactReference[],
  changed: readonly string[],
): void {
  recordChange(ctx, { kind: 'contact', id: survivorId, before: { merged: null }, after: { merged: loserId } })
  recordChange(ctx, { kind: 'contact', id: loserId, before: { mergedInto: null }, after: { mergedInto: survivorId } })
  const more = { survivor: survivorId, loser: loserId }
  announceClientChangeToWebhooks(ctx, clientId, {
    kind: 'contact.merged',
    entity: 'contact',
    id: survivorId,
    changed: [...changed, 'emails', 'eventsCount', 'lastEventOn'],
    more,
  })
  for (const { kind, eventId, id } of relinked) {
    if (kind !== 'participant') continue
    const at = { announced: ctx.announced, event: { id: eventId! } }
    announceToWebhooks(at, { kind: 'participant.updated', entity: 'participant', id, changed: ['contactId'], isTestData: false })
  }
}
