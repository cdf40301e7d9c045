import { sql } from 'kysely'
import { preconditionFailed } from '../../../kernel/errors.ts'
import type { ExhibitorQueryContext } from '../context.ts'
import type { BoothRow } from '../floor/booths.ts'

/** Throws if one of the booths is part of an open offer. The offer must be accepted or withdrawn before the booth can change. */
export async function requireNoOpenOffer(ctx: ExhibitorQueryContext, booths: readonly BoothRow[]): Promise<void> {
  const offer = await findOpenOfferOfBooths(ctx, booths)
  if (offer)
    throw preconditionFailed(
      `Booth ${offer.booth} is offered in ${offer.application}. Use manage_booth_application action accept or withdraw_offer`,
    )
}

/** Finds the first of these booths that is part of an open offer, with the number of the booth application; null if there is none. */
export async function findOpenOfferOfBooths({ db, tenantId, event }: ExhibitorQueryContext, booths: readonly BoothRow[]) {
  const held = booths.filter(({ status }) => status === 'held').map(({ id }) => id)
  if (held.length === 0) return null
  const { rows } = await sql<{ application: string; booth: string }>`
    select a.number as application, b.number as booth from booth_applications a
    join booths b on b.tenant_id = a.tenant_id and b.event_id = a.event_id and b.id = any(a.offer_booth_ids)
    where a.tenant_id = ${tenantId} and a.event_id = ${event.id} and a.status = 'offered' and b.id = any(${held}) order by 2 limit 1`.execute(
    db,
  )
  return rows[0] ?? null
}
