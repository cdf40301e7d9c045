import { recordChange } from '../../kernel/audit.ts'
import { newId } from '../../kernel/ids.ts'
import type { AtEvent } from './at-event.ts'
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
