import { sql } from 'kysely'
import { eventDb } from '../../../kernel/scoped-db.ts'
import { compareBoothNumbers } from '../company-facts.ts'
import type { ExhibitorContext } from '../context.ts'
import { buildOfferPageUrl } from './offer-link.ts'

export interface OpenBoothOffer {
  boothNumbers: string[]
  until: Date
  /** The path of the offer's page. */
  path: string
}

/** The booth offer that a company can answer now; null if there is none. */
export async function findOpenOfferForCompany(ctx: ExhibitorContext, companyId: string): Promise<OpenBoothOffer | null> {
  const row = await eventDb(ctx)
    .selectFrom('booth_applications')
    .selectAll()
    .where('company_id', '=', companyId)
    .where('status', '=', 'offered')
    .where('offer_until', '>', sql<Date>`lanyard_now()`)
    .orderBy('offer_until')
    .executeTakeFirst()
  if (!row) return null
  const booths = await eventDb(ctx)
    .selectFrom('booths')
    .select('number')
    .where('id', '=', sql<string>`any(${row.offer_booth_ids})`)
    .execute()
  return {
    boothNumbers: booths.map(({ number }) => number).toSorted(compareBoothNumbers),
    until: row.offer_until!,
    path: new URL(buildOfferPageUrl(ctx, row)).pathname,
  }
}
