import type { Product } from '../configuration/schema/event-config.ts'

type Supply = 'inPerson' | 'virtual' | 'goods' | 'service'

/** The data of the buyer that determines taxes. */
export interface Buyer {
  country: string | null
  region: string | null
  taxIdStatus: 'unchecked' | 'format_ok' | 'valid' | 'invalid'
}

export interface SellerLocations {
  venue: { country: string | null; region?: string | null }
  /** The country of the client's registered office. */
  establishedIn: string | null
}

/** The place where a sale is taxed. With `reverseCharge` the buyer declares the tax in their own country, so no tax is charged. */
export type TaxPlace =
  | { kind: 'place'; country: string | null; region: string | null; reverseCharge: boolean; rule: string }
  | { kind: 'none'; rule: string }
  | { kind: 'unknown'; rule: string }

const SUPPLY_BY_CATEGORY: Partial<Record<Product['category'], Supply>> = {
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

/** Returns the kind of supply for taxation: as set on the product, otherwise by category. Donations are not taxable; `other` is unknown. */
export const getSupplyKind = ({ supply, category }: Pick<Product, 'supply' | 'category'>): Supply | 'none' | null =>
  supply ?? (category === 'donation' ? 'none' : (SUPPLY_BY_CATEGORY[category] ?? null))

/**
 * Applies the place-of-supply rules: admission in person and goods are taxed at the venue, virtual admission and services to foreign
 * businesses in the buyer's country, other services in the seller's country.
 */
export function findPlaceOfSupply(
  product: Pick<Product, 'supply' | 'category'>,
  buyer: Buyer,
  { venue, establishedIn }: SellerLocations,
): TaxPlace {
  const supply = getSupplyKind(product)
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
