import { sql } from 'kysely'
import { z } from 'zod'
import { day, oneOf } from '../../../kernel/args.ts'
import { recordChange } from '../../../kernel/audit.ts'
import type { EventContext } from '../../../kernel/context.ts'
import { invalidArguments, preconditionFailed } from '../../../kernel/errors.ts'
import { newId } from '../../../kernel/ids.ts'
import type { Permission } from '../../../kernel/permissions.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import { addDays } from '../../../kernel/time.ts'
import { sendEmail } from '../../../kernel/email.ts'
import { listClientAdministrators } from '../../access/administrators.ts'
import { readSourcingSettings } from '../../tenancy/sourcing-settings.ts'
import { readToday } from '../context.ts'
import { findHotel, hotelArgument } from '../find-hotel.ts'
import type { HotelRow } from '../tables.ts'
import { hotelCardsReleasedEmail } from './emails.ts'
import { toPciRecord } from './records.ts'
import { type HotelPci, isAttested, listHotelPci } from './status.ts'

/** Both permissions are required, so that the housing role alone cannot release cards. */
export const OVERRIDE_PERMISSIONS = ['housing.write', 'money.write'] as const satisfies readonly Permission[]

export const overrideArguments = {
  hotelId: hotelArgument(),
  action: oneOf(['grant', 'revoke']),
  reason: z.string().trim().min(20, 'at least 20 characters').max(1000, 'at most 1000 characters'),
  until: day().optional(),
}

type OverrideRequest = z.output<z.ZodObject<typeof overrideArguments>>

/** Allows cards to go to a hotel without a valid attestation, or revokes that. The administrators of the client are emailed. */
export async function overridePciGate(ctx: EventContext, { hotelId, action, reason, until }: OverrideRequest) {
  const { hotel } = await findHotel(ctx, hotelId)
  // The lock on the hotel's row serializes concurrent grants.
  await eventDb(ctx).selectFrom('event_hotels').select('id').where('id', '=', hotel.id).forNoKeyUpdate().execute()
  const before = await readPci(ctx, hotel)
  if (action === 'grant') await grant(ctx, before, { reason, until: await checkUntil(ctx, until) })
  else await revoke(ctx, hotel, reason)
  const after = await readPci(ctx, hotel)
  if (action === 'grant') await emailAdministrators(ctx, hotel, { reason, until: until!, cards: before.cardsWaiting })
  return { record: toPciRecord(after), cardsReleased: before.cardsWaiting - after.cardsWaiting }
}

const readPci = async (ctx: EventContext, { id }: HotelRow): Promise<HotelPci> => (await listHotelPci(ctx, [id]))[0]!

async function checkUntil(ctx: EventContext, until: string | undefined): Promise<string> {
  if (until === undefined) throw invalidArguments([{ path: 'until', message: 'is required for action grant' }])
  const today = await readToday(ctx)
  const { pciOverrideMaxDays } = await readSourcingSettings(ctx)
  const last = addDays(today, pciOverrideMaxDays)
  if (until < today || until > last)
    throw invalidArguments([{ path: 'until', message: `must be a day from ${today} to ${last}, ${pciOverrideMaxDays} days ahead` }])
  return until
}

/** Explains why a person cannot grant an override for a hotel; null if they can. */
export function explainOverrideRefusal(
  { name, status, record }: Pick<HotelPci, 'name' | 'status' | 'record'>,
  userId: string,
): string | null {
  if (isAttested(status)) return `${name} has a valid attestation; cards go to it without an override`
  if (record?.result === 'nonCompliant')
    return `${name} was assessed as not compliant; cards cannot go to it. Ask the hotel for a new attestation`
  return record?.reviewed_by === userId ? `You reviewed the attestation of ${name}. A second person must grant the override` : null
}

async function grant(ctx: EventContext, { hotelId, name, status, record }: HotelPci, { reason, until }: { reason: string; until: string }) {
  const refusal = explainOverrideRefusal({ name, status, record }, ctx.actor.id)
  if (refusal !== null) throw preconditionFailed(refusal)
  const [previous] = await endGrants(ctx, hotelId)
  const id = newId()
  await ctx.db
    .insertInto('hotel_pci_overrides')
    .values({
      tenant_id: ctx.tenantId,
      event_id: ctx.event.id,
      id,
      hotel_id: hotelId,
      reason,
      until,
      granted_by: ctx.actor.id,
      granted_by_name: ctx.actor.name,
    })
    .execute()
  const before = previous ? { pciOverrideUntil: previous.until } : {}
  recordChange(ctx, { kind: 'hotel', id: hotelId, before, after: { pciOverrideUntil: until, reason } })
}

async function revoke(ctx: EventContext, { id, name }: HotelRow, reason: string): Promise<void> {
  const [ended] = await endGrants(ctx, id)
  if (!ended) throw preconditionFailed(`${name} has no override to revoke`)
  recordChange(ctx, { kind: 'hotel', id, before: { pciOverrideUntil: ended.until }, after: { pciOverrideUntil: null, reason } })
}

const endGrants = (ctx: EventContext, hotelId: string) =>
  eventDb(ctx)
    .updateTable('hotel_pci_overrides')
    .set({ revoked_at: sql<Date>`lanyard_now()` })
    .where('hotel_id', '=', hotelId)
    .where('revoked_at', 'is', null)
    .returning('until')
    .execute()

async function emailAdministrators(
  ctx: EventContext,
  { id, name }: HotelRow,
  { reason, until, cards }: { reason: string; until: string; cards: number },
): Promise<void> {
  const { rows } = await sql<{ now: Date }>`select lanyard_now() as now`.execute(ctx.db)
  for (const { userId, email, name: to, language } of await listClientAdministrators(ctx, ctx.client.id))
    await sendEmail(ctx, hotelCardsReleasedEmail, {
      to: { address: email, name: to },
      content: { hotel: name, event: ctx.event.name, by: ctx.actor.name, reason, until, cards },
      source: { kind: 'pciOverride', id: `${id} ${rows[0]!.now.toISOString()}`, recipientKey: userId },
      locale: language,
    })
}
