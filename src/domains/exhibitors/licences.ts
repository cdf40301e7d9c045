import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import { newId } from '../../kernel/ids.ts'
import type { EventConfig } from '../configuration/schema/event-config.ts'
import type { AtEvent, Where } from './at-event.ts'
import { getCompany } from './companies.ts'

interface Grant {
  companyId: string
  productCode: string
  /** `sdk`, `device`. */
  grants: readonly string[]
  seats: number
  reason: string
}

/** Lets a company collect leads without having bought it. */
export async function grantLicence(ctx: AtEvent, { companyId, productCode, grants, seats, reason }: Grant): Promise<string> {
  const company = await getCompany(ctx, companyId)
  const id = newId()
  await ctx.db
    .insertInto('lead_licences')
    .values({
      tenant_id: ctx.tenantId,
      event_id: ctx.event.id,
      id,
      company_id: company.id,
      product_code: productCode,
      granted_by: ctx.actor.name,
      grants: [...grants],
      seats,
    })
    .execute()
  recordChange(ctx, { kind: 'licence', id, after: { companyId, productCode, grants, seats, reason } })
  return id
}

/** Whether the licence `l` lets its company scan through the SDK now; `mustBePaid` says whether it waits for its invoice. */
export const HOLDS_SDK = (mustBePaid: string) =>
  `l.status = 'active' and 'sdk' = any(l.grants) and licence_seats(l, ${mustBePaid}::boolean) > 0`

/** Gives the company the licences that were just sold on this order: its own, or that of one of its administrators. */
export async function licenseSold(
  ctx: Where,
  { products }: Pick<EventConfig, 'products'>,
  { orderId, lines }: { orderId: string; lines: readonly { productCode: string | null }[] },
): Promise<void> {
  const grantsOf = new Map(products.filter(({ category }) => category === 'leadRetrieval').map(({ code, grants }) => [code, grants]))
  if (!lines.some(({ productCode }) => productCode !== null && grantsOf.has(productCode))) return
  const { rows } = await sql<{ id: string; product_code: string; quantity: number; company_id: string }>`
    select l.id, l.product_code, l.quantity, c.id as company_id
    from order_lines l join orders o on o.tenant_id = l.tenant_id and o.event_id = l.event_id and o.id = l.order_id
    join companies c on c.tenant_id = o.tenant_id and c.event_id = o.event_id and (c.id = o.company_id or c.id in (
      select s.company_id from exhibitor_staff s
      where s.tenant_id = o.tenant_id and s.event_id = o.event_id and s.participant_id = o.participant_id
        and s.role = 'admin' and s.status = 'registered'))
    where l.tenant_id = ${ctx.tenantId} and l.event_id = ${ctx.event.id} and l.kind = 'sale'
      and l.order_id = ${orderId} and l.product_code = any(${[...grantsOf.keys()]})`.execute(ctx.db)
  if (rows.length === 0) return
  await ctx.db
    .insertInto('lead_licences')
    .values(
      rows.map(({ id, product_code, quantity, company_id }) => ({
        tenant_id: ctx.tenantId,
        event_id: ctx.event.id,
        id: newId(),
        company_id,
        product_code,
        order_line_id: id,
        grants: [...grantsOf.get(product_code)!],
        seats: quantity,
      })),
    )
    // A line that was licensed when it was sold is on the order still.
    .onConflict((c) => c.doNothing())
    .execute()
}
