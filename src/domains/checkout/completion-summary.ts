import { sql } from 'kysely'
import { createInvoiceLinkBuilder } from '../orders/invoice-links.ts'
import type { ParticipantRow } from '../registration/participant-shape.ts'
import type { RegistrationContext } from '../registration/event-snapshot.ts'
import { listWaitlistEntries } from '../registration/waitlist/waitlist-entries.ts'

/** The data of the confirmation page: balance, invoices and waiting list ranks. */
export interface CompletionSummary {
  paid: number
  balance: number
  invoices: readonly { number: string; link: string; balance: number; dueOn: string }[]
  waits: readonly { target: string; rank: number }[]
}

const MAX_INVOICES = 10

export async function readCompletionSummary(ctx: RegistrationContext, { id }: Pick<ParticipantRow, 'id'>): Promise<CompletionSummary> {
  const { rows: orders } = await sql<{ paid: number; balance: number }>`
    select coalesce(sum(paid), 0)::float8 as paid, coalesce(sum(balance), 0)::float8 as balance from orders
    where tenant_id = ${ctx.tenantId} and event_id = ${ctx.event.id} and participant_id = ${id}`.execute(ctx.db)
  const { rows: invoices } = await sql<{ id: string; number: string; balance: number; dueOn: string }>`
    select i.id, i.number, i.balance::float8 as balance, i.due_on as "dueOn" from invoices i join orders o on o.tenant_id = i.tenant_id and o.event_id = i.event_id and o.id = i.order_id
    where o.tenant_id = ${ctx.tenantId} and o.event_id = ${ctx.event.id} and o.participant_id = ${id} order by i.id limit ${MAX_INVOICES}`.execute(
    ctx.db,
  )
  const waits = (await listWaitlistEntries(ctx, { id })).flatMap(({ target, rank }) => (rank === null ? [] : [{ target, rank }]))
  const linkOf = await createInvoiceLinkBuilder(ctx)
  return {
    ...orders[0]!,
    waits,
    invoices: invoices.map(({ id: invoiceId, ...invoice }) => ({ ...invoice, link: linkOf({ id: invoiceId }) })),
  }
}
