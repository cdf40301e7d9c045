import { type Insertable, sql } from 'kysely'
import { z } from 'zod'
import { day, oneOf } from '../../../kernel/args.ts'
import { recordChange } from '../../../kernel/audit.ts'
import type { Tables } from '../../../kernel/columns.ts'
import type { EventContext } from '../../../kernel/context.ts'
import { getDatabaseTime } from '../../../kernel/database-time.ts'
import { invalidArguments, preconditionFailed } from '../../../kernel/errors.ts'
import { newId } from '../../../kernel/ids.ts'
import type { Permission } from '../../../kernel/permissions.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import { addDays } from '../../../kernel/time.ts'
import { sendEmail } from '../../../kernel/email.ts'
import { listClientAdministrators } from '../../access/administrators.ts'
import { readSourcingSettings } from '../../tenancy/sourcing-settings.ts'
import { readTodayAtEvent } from '../context.ts'
import { findHotel, hotelReferenceSchema } from '../find-hotel.ts'
import type { HotelRow } from '../tables.ts'
import { hotelCardDataReleasedEmail } from './emails.ts'
import { toPciRecord } from './records.ts'
import { type HotelPciStatus, hasValidPciAttestation, listHotelPciStatuses, type PciOverrideRow } from './status.ts'

/** An override needs money.write too, so that the permission for housing alone is not enough to release card data. */
export const PCI_OVERRIDE_PERMISSIONS = ['housing.write', 'money.write'] as const satisfies readonly Permission[]

export const pciOverrideArguments = {
  hotelId: hotelReferenceSchema(),
  action: oneOf(['grant', 'revoke']),
  reason: z.string().trim().min(20, 'at least 20 characters').max(1000, 'at most 1000 characters'),
  until: day().optional(),
}

type OverrideRequest = z.output<z.ZodObject<typeof pciOverrideArguments>>

/**
 * Allows cards to be sent to a hotel without a valid attestation, or revokes that. It takes two people: the one who reviewed the
 * attestation or, if none was reviewed, the one who requests the override with a first call, and the one who grants it. The administrators
 * of the client are emailed when it is granted.
 */
export async function overridePciRequirement(ctx: EventContext, { hotelId, action, reason, until }: OverrideRequest) {
  const { hotel } = await findHotel(ctx, hotelId)
  // Locks the row of the hotel, so that concurrent grants of an override wait for each other.
  await eventDb(ctx).selectFrom('event_hotels').select('id').where('id', '=', hotel.id).forNoKeyUpdate().execute()
  const before = await readPci(ctx, hotel)
  if (action === 'grant') await requestOrGrant(ctx, before, { reason, until: await checkUntil(ctx, until) })
  else await revoke(ctx, hotel, reason)
  const after = await readPci(ctx, hotel)
  const isGranted = after.override !== null && after.override.id !== before.override?.id
  if (isGranted) await emailAdministrators(ctx, hotel, { reason, until: after.override!.until, cards: before.cardsWaiting })
  return { record: toPciRecord(after), cardsReleased: before.cardsWaiting - after.cardsWaiting }
}

const readPci = async (ctx: EventContext, { id }: HotelRow): Promise<HotelPciStatus> => (await listHotelPciStatuses(ctx, [id]))[0]!

async function checkUntil(ctx: EventContext, until: string | undefined): Promise<string> {
  if (until === undefined) throw invalidArguments([{ path: 'until', message: 'is required for action grant' }])
  const today = await readTodayAtEvent(ctx)
  const { pciOverrideMaxDays } = await readSourcingSettings(ctx)
  const last = addDays(today, pciOverrideMaxDays)
  if (until < today || until > last)
    throw invalidArguments([{ path: 'until', message: `must be a day from ${today} to ${last}, ${pciOverrideMaxDays} days ahead` }])
  return until
}

/** Explains why a person cannot grant an override for a hotel; null if they can. */
export function explainOverrideRefusal(
  { name, status, record }: Pick<HotelPciStatus, 'name' | 'status' | 'record'>,
  userId: string,
): string | null {
  if (hasValidPciAttestation(status)) return `${name} has a valid attestation; cards go to it without an override`
  if (record?.result === 'nonCompliant')
    return `${name} was assessed as not compliant; cards cannot go to it. Ask the hotel for a new attestation`
  return record?.reviewed_by === userId ? `You reviewed the attestation of ${name}. A second person must grant the override` : null
}

type OverrideTerms = Pick<PciOverrideRow, 'reason' | 'until'>

async function requestOrGrant(ctx: EventContext, pci: HotelPciStatus, terms: OverrideTerms): Promise<void> {
  const refusal = explainOverrideRefusal(pci, ctx.actor.id)
  if (refusal !== null) throw preconditionFailed(refusal)
  const { hotelId, record, request } = pci
  const [previous] = await endOverrides(ctx, hotelId, 'request')
  const requester = request !== null && request.requested_by !== ctx.actor.id ? request : null
  if (!record?.reviewed_by && requester === null) {
    await insertOverride(ctx, hotelId, { ...terms, requested_by: ctx.actor.id, requested_by_name: ctx.actor.name })
    const before = previous ? { requestedOverrideUntil: previous.until } : {}
    return void recordChange(ctx, {
      kind: 'hotel',
      id: hotelId,
      before,
      after: { requestedOverrideUntil: terms.until, reason: terms.reason },
    })
  }
  if (requester && terms.until > requester.until)
    throw invalidArguments([{ path: 'until', message: `must be at most ${requester.until}, as ${requester.requested_by_name} requested` }])
  const [replaced] = await endOverrides(ctx, hotelId, 'grant')
  await insertOverride(ctx, hotelId, {
    ...terms,
    granted_by: ctx.actor.id,
    granted_by_name: ctx.actor.name,
    granted_at: await getDatabaseTime(ctx),
    requested_by: requester?.requested_by ?? null,
    requested_by_name: requester?.requested_by_name ?? null,
  })
  const before = replaced ? { pciOverrideUntil: replaced.until } : {}
  recordChange(ctx, { kind: 'hotel', id: hotelId, before, after: { pciOverrideUntil: terms.until, reason: terms.reason } })
}

const insertOverride = (
  ctx: EventContext,
  hotelId: string,
  columns: Omit<Insertable<Tables['hotel_pci_overrides']>, 'tenant_id' | 'event_id' | 'id' | 'hotel_id'>,
) =>
  ctx.db
    .insertInto('hotel_pci_overrides')
    .values({ ...columns, tenant_id: ctx.tenantId, event_id: ctx.event.id, id: newId(), hotel_id: hotelId })
    .execute()

async function revoke(ctx: EventContext, { id, name }: HotelRow, reason: string): Promise<void> {
  const [request] = await endOverrides(ctx, id, 'request')
  const [granted] = await endOverrides(ctx, id, 'grant')
  if (!request && !granted) throw preconditionFailed(`${name} has no override to revoke`)
  recordChange(ctx, {
    kind: 'hotel',
    id,
    before: {
      ...(granted ? { pciOverrideUntil: granted.until } : {}),
      ...(request ? { requestedOverrideUntil: request.until } : {}),
    },
    after: { ...(granted ? { pciOverrideUntil: null } : {}), ...(request ? { requestedOverrideUntil: null } : {}), reason },
  })
}

const endOverrides = (ctx: EventContext, hotelId: string, kind: 'request' | 'grant') =>
  eventDb(ctx)
    .updateTable('hotel_pci_overrides')
    .set({ revoked_at: sql<Date>`lanyard_now()` })
    .where('hotel_id', '=', hotelId)
    .where('revoked_at', 'is', null)
    .where('granted_by', kind === 'grant' ? 'is not' : 'is', null)
    .returning('until')
    .execute()

async function emailAdministrators(
  ctx: EventContext,
  { id, name }: HotelRow,
  { reason, until, cards }: { reason: string; until: string; cards: number },
): Promise<void> {
  const { rows } = await sql<{ now: Date }>`select lanyard_now() as now`.execute(ctx.db)
  for (const { userId, email, name: to, language } of await listClientAdministrators(ctx, ctx.client.id))
    await sendEmail(ctx, hotelCardDataReleasedEmail, {
      to: { address: email, name: to },
      content: { hotel: name, event: ctx.event.name, by: ctx.actor.name, reason, until, cards },
      source: { kind: 'pciOverride', id: `${id} ${rows[0]!.now.toISOString()}`, recipientKey: userId },
      locale: language,
    })
}
