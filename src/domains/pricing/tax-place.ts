import type { Product } from '../configuration/schema/event-config.ts'

type Supply = 'inPerson' | 'virtual' | 'goods' | 'service'

/** What taxes ask of whoever pays. */
export interface Buyer {
  country: string | null
  region: string | null
  taxIdStatus: 'unchecked' | 'format_ok' | 'valid' | 'invalid'
}

export interface Sites {
  venue: { country: string | null; region?: string | null }
  /** Country of the client's own seat. */
  establishedIn: string | null
}

/** Where a sale is taxed. `reverseCharge`: by the buyer, at home, so nothing is charged here. */
export type TaxPlace =
  | { kind: 'place'; country: string | null; region: string | null; reverseCharge: boolean; rule: string }
  | { kind: 'none'; rule: string }
  | { kind: 'unknown'; rule: string }

const SUPPLIES: Partial<Record<Product['category'], Supply>> = {
  admission: 'inPerson',
  session: 'inPerson',
  meal: 'inPerson',
  tour: 'inPerson',
  guest: 'inPerson',
  merchandise: 'goods',
  booth: 'service',
  advertising: 'service',
  leadRetrieval: 'service',
}

/** As what a product is supplied: as it says itself, else by its category. Donations are no supply, `other` says nothing. */
export const supplyOf = ({ supply, category }: Pick<Product, 'supply' | 'category'>): Supply | 'none' | null =>
  supply ?? (category === 'donation' ? 'none' : (SUPPLIES[category] ?? null))

/** The table of who is taxed where: what people go to at the venue, services to businesses at the buyer's, other services at the seller's. */
export function taxPlace(product: Pick<Product, 'supply' | 'category'>, buyer: Buyer, { venue, establishedIn }: Sites): TaxPlace {
  const supply = supplyOf(product)
  if (supply === null) return { kind: 'unknown', rule: 'supply-unknown' }
  if (supply === 'none') return { kind: 'none', rule: 'donation' }
  if (supply === 'inPerson' || supply === 'goods') return at(venue.country, venue.region ?? null, `${supply}-venue`)
  const abroad = buyer.taxIdStatus === 'valid' && buyer.country !== null && buyer.country !== establishedIn
  if (abroad) return { ...at(buyer.country, buyer.region, `${supply}-business-abroad`), reverseCharge: true }
  return supply === 'virtual' ? at(buyer.country, buyer.region, 'virtual-consumer') : at(establishedIn, null, 'service-seller')
}

const at = (country: string | null, region: string | null, rule: string) => ({
  kind: 'place' as const,
  country,
  region,
  reverseCharge: false,
  rule,
})
