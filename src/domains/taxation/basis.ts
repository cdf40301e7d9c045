import type { EventContext } from '../../kernel/context.ts'
import { invalidArguments, preconditionFailed } from '../../kernel/errors.ts'
import { nearest } from '../../kernel/nearest.ts'
import { dayIn, startOfDay } from '../../kernel/time.ts'
import { type Configuration, readDraft } from '../configuration/read.ts'
import type { EventConfig, Product } from '../configuration/schema/event-config.ts'
import { type Buyer, supplyOf } from '../pricing/tax-place.ts'
import { taxOf } from '../pricing/taxes.ts'
import type { TaxRegistration } from '../tenancy/tables.ts'
import { regionCode, type TaxedPlace } from './places.ts'

export type Tax = EventConfig['taxes'][number]

/** How something is taxed: as a line was, or as the draft would tax the next one. */
export interface Terms {
  taxCode: string | null
  rate: string
  inclusive: boolean
}

/** Somebody who could buy it, and what the draft would ask of them. */
export interface BuyerCase {
  buyer: Buyer
  terms: Terms
}

export interface AssessedProduct extends Pick<Product, 'code' | 'category' | 'supply' | 'taxCode'> {
  cases: BuyerCase[]
}

/** All that an assessment rests on beside rates and order lines, as it was when somebody asked for it. */
export interface Basis {
  asOf: string
  timezone: string
  includeOrders: boolean
  venue: TaxedPlace
  establishedIn: string
  registrations: TaxRegistration[]
  products: AssessedProduct[]
  taxes: Tax[]
}

interface Wish {
  productCodes?: readonly string[] | undefined
  asOf?: string | undefined
  includeOrders?: boolean | undefined
}

export async function readBasis(ctx: EventContext, wish: Wish): Promise<{ basis: Basis; draft: Configuration }> {
  const draft = await readDraft(ctx)
  const { config, facts } = draft
  const client = await ctx.db
    .selectFrom('clients')
    .select(['established_in', 'tax_registrations'])
    .where('tenant_id', '=', ctx.tenantId)
    .where('id', '=', ctx.client.id)
    .executeTakeFirstOrThrow()
  const country = config.details.venue?.country ?? null
  if (country === null) {
    throw preconditionFailed(
      'The venue has no country, which decides where admissions are taxed: set /details/venue/country with config_set',
    )
  }
  if (client.established_in === null) {
    throw preconditionFailed(
      `Client ${ctx.client.code} has no establishedIn, which decides where services are taxed: set establishedIn with update_client`,
    )
  }
  const chosen = chosenOf(config.products, wish.productCodes)
  const asOf = wish.asOf ?? dayIn(facts.timezone, facts.now)
  const seller = {
    establishedIn: client.established_in,
    registrations: client.tax_registrations,
    venue: { country, region: regionCode(country, config.details.venue?.region) },
  }
  const sale = { config, currency: facts.currency, timezone: facts.timezone, at: startOfDay(facts.timezone, asOf), ...seller }
  const caseOf = (product: Product, buyer: Buyer): BuyerCase => {
    const { taxCode, taxRate, taxInclusive } = taxOf({ ...sale, buyer }, product)
    return { buyer, terms: { taxCode, rate: taxRate, inclusive: taxInclusive } }
  }
  const products = chosen.map((product) => ({
    code: product.code,
    category: product.category,
    supply: product.supply,
    taxCode: product.taxCode,
    cases: isSold(product) ? buyersOf(product, seller, asOf).map((buyer) => caseOf(product, buyer)) : [],
  }))
  const basis = { ...seller, asOf, timezone: facts.timezone, includeOrders: wish.includeOrders ?? true, products, taxes: config.taxes }
  return { basis, draft }
}

function chosenOf(products: readonly Product[], codes: readonly string[] | undefined): readonly Product[] {
  if (!codes) return products
  const known = products.map(({ code }) => code)
  const unknown = codes.findIndex((code) => !known.includes(code))
  if (unknown >= 0) {
    const close = nearest(codes[unknown]!, known)
    throw invalidArguments([
      { path: `productCodes/${unknown}`, message: `no product ${codes[unknown]} in the draft${close ? `; did you mean ${close}?` : ''}` },
    ])
  }
  return products.filter(({ code }) => codes.includes(code))
}

/** Of what nobody can buy any more, or nobody pays for, no next order can be wrong. */
const isSold = ({ retired, prices, category }: Product) =>
  !retired && (category === 'donation' || prices.some(({ amount }) => Number(amount) > 0))

/** One buyer for each row of the table of places that the product could fall under. */
function buyersOf(
  product: Product,
  { establishedIn, registrations }: Pick<Basis, 'establishedIn' | 'registrations'>,
  asOf: string,
): Buyer[] {
  const consumer = (country: string, region: string | null): Buyer => ({ country, region, taxIdStatus: 'unchecked' })
  const atHome = consumer(establishedIn, null)
  const businessAbroad: Buyer = { country: establishedIn === 'FR' ? 'DE' : 'FR', region: null, taxIdStatus: 'valid' }
  const supply = supplyOf(product)
  if (supply === 'service') return [atHome, businessAbroad]
  if (supply !== 'virtual') return [atHome]
  const abroad = registrations
    .filter(({ country, from, until }) => country !== establishedIn && from <= asOf && (until === undefined || asOf <= until))
    .map(({ country, region }) => consumer(country, regionCode(country, region)))
  return [atHome, ...abroad, businessAbroad]
}
