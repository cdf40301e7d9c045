import { sql } from 'kysely'
import { foldEmailCase } from '../../kernel/email-address.ts'
import { INVENTORY_HOLD_MINUTES } from '../inventory/units.ts'
import type { RegistrationContext } from '../registration/event-snapshot.ts'
import type { RegistrationProgress } from './progress.ts'

/** The maximum time that one registration can hold capacity in total, however often the hold is renewed. */
const MAX_HELD_MINUTES = 45
/** The maximum number of unfinished registrations with one email address that can hold capacity at the same time. */
const MAX_HOLDS_PER_MAILBOX = 3
/**
 * The maximum number of unfinished registrations with unverified email addresses that can hold capacity at the same time from one network.
 */
const MAX_UNVERIFIED_HOLDS_PER_NETWORK = 10

/**
 * Returns the time until which the registration may hold its capacity; null if it may not hold any. While the email address is not
 * verified, capacity is held only at the checkout, because anyone can start registrations with invented addresses. A hold at the checkout
 * of a verified participant does not end after 45 minutes, so that they can always pay.
 */
export async function findCapacityHoldLimit(
  ctx: RegistrationContext,
  progress: RegistrationProgress,
  at: 'page' | 'checkout' | 'payment',
): Promise<Date | null> {
  const { row, snapshot, stored } = progress
  const now = snapshot.at.getTime()
  const renewed = now + INVENTORY_HOLD_MINUTES * 60_000
  if (snapshot.isTest) return new Date(renewed)
  if (row.email_unverified && at === 'page') return null
  const others = await countOtherHolders(ctx, progress)
  if (others.ofMailbox >= MAX_HOLDS_PER_MAILBOX) return null
  if (row.email_unverified && others.ofNetwork >= MAX_UNVERIFIED_HOLDS_PER_NETWORK) return null
  if (stored.held_since === null || (at === 'payment' && !row.email_unverified)) return new Date(renewed)
  const end = stored.held_since.getTime() + MAX_HELD_MINUTES * 60_000
  return end <= now ? null : new Date(Math.min(renewed, end))
}

/**
 * Counts the other unfinished registrations of the mailbox and of the network that hold capacity or a room now. The locks serialize
 * concurrent requests of the same mailbox or network, so that each one counts the holds of those before it.
 */
async function countOtherHolders(
  ctx: RegistrationContext,
  { row, stored }: RegistrationProgress,
): Promise<{ ofMailbox: number; ofNetwork: number }> {
  const { db, tenantId, event } = ctx
  const email = foldEmailCase(row.email ?? '')
  await lockHolders(db, `holds at ${event.id} of mailbox ${email}`)
  if (row.email_unverified) await lockHolders(db, `holds at ${event.id} of network ${stored.network}`)
  const { rows } = await sql<{ ofMailbox: number; ofNetwork: number }>`
    with others as (
      select p.id, true as of_mailbox, false as of_network from participants p
      where p.tenant_id = ${tenantId} and p.event_id = ${event.id} and p.email_norm = ${email} and p.status = 'incomplete'
      union all
      select p.id, false, true from registration_progress g
      join participants p on p.tenant_id = g.tenant_id and p.event_id = g.event_id and p.id = g.participant_id
      where g.tenant_id = ${tenantId} and g.event_id = ${event.id} and g.network = ${stored.network}
        and p.email_unverified and p.status = 'incomplete')
    select count(*) filter (where o.of_mailbox)::int as "ofMailbox", count(*) filter (where o.of_network)::int as "ofNetwork"
    from others o
    where o.id <> ${row.id} and (
      exists (select from holds h
        where h.tenant_id = ${tenantId} and h.event_id = ${event.id} and h.participant_id = o.id and h.entry_id is null and h.status = 'active'
          and (h.charging or h.expires_at > lanyard_now()))
      or exists (select from reservations r
        where r.tenant_id = ${tenantId} and r.event_id = ${event.id} and r.participant_id = o.id and r.entry_id is null and r.status = 'held'
          and (r.charging or r.held_until > lanyard_now())))`.execute(db)
  return rows[0]!
}

const lockHolders = (db: RegistrationContext['db'], name: string) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${name}::text, 0))`.execute(db)
