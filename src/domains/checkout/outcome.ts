import { sql } from 'kysely'
import { invoiceLinks } from '../orders/invoice-links.ts'
import type { ParticipantRow } from '../registration/participant-shape.ts'
import type { AtEvent } from '../registration/scene.ts'
import { waitlistOf } from '../registration/waitlist-places.ts'

/** What somebody has when they are through: what they owe, their invoices, and where they wait. */
export interface Outcome {
  paid: number
  balance: number
  invoices: readonly { number: string; link: string; balance: number }[]
  /** By what they wait for. */
  waits: readonly { target: string; rank: number }[]
}

const MOST = 10

export async function outcomeOf(ctx: AtEvent, { id }: Pick<ParticipantRow, 'id'>): Promise<Outcome> {
  const { rows: orders } = await sql<{ paid: number; balance: number }>`
    select coalesce(sum(paid), 0)::float8 as paid, coalesce(sum(balance), 0)::float8 as balance from orders
    where tenant_id = ${ctx.tenantId} and event_id = ${ctx.event.id} and participant_id = ${id}`.execute(ctx.db)
  const { rows: invoices } = await sql<{ id: string; number: string; balance: number }>`
    select i.id, i.number, i.balance::float8 as balance from invoices i join orders o on o.tenant_id = i.tenant_id and o.event_id = i.event_id and o.id = i.order_id
    where o.tenant_id = ${ctx.tenantId} and o.event_id = ${ctx.event.id} and o.participant_id = ${id} order by i.id limit ${MOST}`.execute(
    ctx.db,
  )
  const waits = (await waitlistOf(ctx, { id })).flatMap(({ target, rank }) => (rank === null ? [] : [{ target, rank }]))
  const linkOf = await invoiceLinks(ctx)
  return {
    ...orders[0]!,
    waits,
    invoices: invoices.map(({ id: invoiceId, number, balance }) => ({ number, balance, link: linkOf({ id: invoiceId }) })),
  }
}
