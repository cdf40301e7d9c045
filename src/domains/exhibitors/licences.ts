import { type RawBuilder, sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import { newId } from '../../kernel/ids.ts'
import type { EventConfig } from '../configuration/schema/event-config.ts'
import { type ExhibitorContext, type ExhibitorQueryContext, readLiveOrTestConfiguration } from './context.ts'
import { getCompany } from './companies.ts'

interface LicenceGrant {
  companyId: string
  productCode: string
  /** How the company may scan badges: with its own app (`sdk`), or with an activated scanning device (`device`). */
  grants: readonly string[]
  seats: number
  reason: string
}

/** Grants a lead retrieval licence without a purchase. */
export async function grantLeadLicence(
  ctx: ExhibitorContext,
  { companyId, productCode, grants, seats, reason }: LicenceGrant,
): Promise<string> {
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

/**
 * SQL condition: the licence (alias `l`) allows scanning through the SDK. `mustBePaid` is SQL that says whether the licence's invoice
 * must be paid.
 */
export const buildSdkLicenceCondition = (mustBePaid: string) =>
  `l.status = 'active' and 'sdk' = any(l.grants) and licence_seats(l, ${mustBePaid}::boolean) > 0`

/** Whether licences are valid only once their invoice is paid: by the published configuration, as scanners are checked. */
export const mustLicencesBePaid = async (ctx: ExhibitorContext): Promise<boolean> =>
  (await readLiveOrTestConfiguration(ctx, false)).config.exhibitorConfig.leadLicencesNeedPayment

/** Whether the company has a licence for scanning with its own app. */
export async function hasSdkLicence(ctx: ExhibitorContext, companyId: string): Promise<boolean> {
  const mustBePaid = await mustLicencesBePaid(ctx)
  const { rows } = await sql`
    select from lead_licences l where l.tenant_id = ${ctx.tenantId} and l.event_id = ${ctx.event.id} and l.company_id = ${companyId}
      and ${sql.raw(buildSdkLicenceCondition(String(mustBePaid)))} limit 1`.execute(ctx.db)
  return rows.length > 0
}

/**
 * Creates the licences sold on an order. They belong to the company that ordered, or to the company whose admin the ordering participant
 * is.
 */
export async function createSoldLicences(
  ctx: ExhibitorQueryContext,
  config: Pick<EventConfig, 'products'>,
  { orderId, lines }: { orderId: string; lines: readonly { productCode: string | null }[] },
): Promise<void> {
  const grantsOf = listGrantsOfLeadProducts(config)
  if (lines.some(({ productCode }) => productCode !== null && grantsOf.has(productCode)))
    await createLicencesOfLines(ctx, grantsOf, sql`l.order_id = ${orderId}`)
}

/** Creates the licences that a participant bought in the registration with which they became a company's admin. */
export async function createLicencesOfNewAdmin(
  ctx: ExhibitorQueryContext,
  config: Pick<EventConfig, 'products'>,
  participantId: string,
): Promise<void> {
  const grantsOf = listGrantsOfLeadProducts(config)
  if (grantsOf.size > 0) await createLicencesOfLines(ctx, grantsOf, sql`l.participant_id = ${participantId}`)
}

type GrantsByProduct = ReadonlyMap<string, readonly string[]>

const listGrantsOfLeadProducts = ({ products }: Pick<EventConfig, 'products'>): GrantsByProduct =>
  new Map(products.filter(({ category }) => category === 'leadRetrieval').map(({ code, grants }) => [code, grants]))

/** Creates the licences of the given order lines. A line on a group's order belongs to the company whose admin it is for. */
async function createLicencesOfLines(ctx: ExhibitorQueryContext, grantsOf: GrantsByProduct, which: RawBuilder<unknown>): Promise<void> {
  const { rows } = await sql<{ id: string; product_code: string; quantity: number; company_id: string }>`
    select l.id, l.product_code, l.quantity, c.id as company_id
    from order_lines l join orders o on o.tenant_id = l.tenant_id and o.event_id = l.event_id and o.id = l.order_id
    join companies c on c.tenant_id = o.tenant_id and c.event_id = o.event_id and (c.id = o.company_id or c.id in (
      select s.company_id from exhibitor_staff s
      where s.tenant_id = o.tenant_id and s.event_id = o.event_id and s.participant_id in (o.participant_id, l.participant_id)
        and s.role = 'admin' and s.status = 'registered'))
    where l.tenant_id = ${ctx.tenantId} and l.event_id = ${ctx.event.id} and l.kind = 'sale'
      and ${which} and l.product_code = any(${[...grantsOf.keys()]})`.execute(ctx.db)
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
    // Order lines that already have a licence are skipped.
    .onConflict((c) => c.doNothing())
    .execute()
}
