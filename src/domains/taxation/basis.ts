import type { EventContext } from '../../kernel/context.ts'
import { invalidArguments, preconditionFailed } from '../../kernel/errors.ts'
import { findMostSimilarName } from '../../kernel/nearest.ts'
import { tenantDb } from '../../kernel/scoped-db.ts'
import { toDayInZone, startOfDay } from '../../kernel/time.ts'
import { type Configuration, readDraftConfiguration } from '../configuration/read.ts'
import type { EventConfig, Product } from '../configuration/schema/event-config.ts'
import { type Buyer, getSupplyKind } from '../pricing/tax-place.ts'
import { findApplicableTax } from '../pricing/taxes.ts'
import type { TaxRegistration } from '../tenancy/tables.ts'
import { toRegionCode, type TaxJurisdiction } from './places.ts'

export type ConfiguredTax = EventConfig['taxes'][number]

/** The tax terms of a sold order line, or those that the draft configuration would apply to the next order line. */
export interface LineTaxTreatment {
  taxCode: string | null
  rate: string
  inclusive: boolean
}

/** A typical buyer and the tax terms that the draft configuration would apply to them. */
export interface BuyerTaxTreatment {
  buyer: Buyer
  terms: LineTaxTreatment
}

export interface AssessedProduct extends Pick<Product, 'code' | 'category' | 'supply' | 'taxCode'> {
  cases: BuyerTaxTreatment[]
}

/** All data that a tax assessment depends on, except tax rates and order lines, as of the start of the assessment. */
export interface TaxAssessmentData {
  asOf: string
  timezone: string
  includeOrders: boolean
  venue: TaxJurisdiction
  establishedIn: string
  registrations: TaxRegistration[]
  products: AssessedProduct[]
  taxes: ConfiguredTax[]
}

interface BasisOptions {
  productCodes?: readonly string[] | undefined
  asOf?: string | undefined
  includeOrders?: boolean | undefined
}

export async function readTaxAssessmentData(
  ctx: EventContext,
  options: BasisOptions,
): Promise<{ basis: TaxAssessmentData; draft: Configuration }> {
  const draft = await readDraftConfiguration(ctx)
  const { config, facts } = draft
  const client = await tenantDb(ctx)
    .selectFrom('clients')
    .select(['established_in', 'tax_registrations'])
    .where('id', '=', ctx.client.id)
    .executeTakeFirstOrThrow()
  const country = config.details.venue?.country ?? null
  if (country === null) {
    throw preconditionFailed(
      'The venue has no country, which decides where admissions are taxed. Set /details/venue/country with config_set.',
    )
  }
  if (client.established_in === null) {
    throw preconditionFailed(
      `Client ${ctx.client.code} has no establishedIn, which decides where services are taxed. Set establishedIn with update_client.`,
    )
  }
  const chosen = chooseProducts(config.products, options.productCodes)
  const asOf = options.asOf ?? toDayInZone(facts.timezone, facts.now)
  const seller = {
    establishedIn: client.established_in,
    registrations: client.tax_registrations,
    venue: { country, region: toRegionCode(country, config.details.venue?.region) },
  }
  const sale = { config, currency: facts.currency, timezone: facts.timezone, at: startOfDay(facts.timezone, asOf), ...seller }
  const caseOf = (product: Product, buyer: Buyer): BuyerTaxTreatment => {
    const { taxCode, taxRate, taxInclusive } = findApplicableTax({ ...sale, buyer }, product)
    return { buyer, terms: { taxCode, rate: taxRate, inclusive: taxInclusive } }
  }
  const products = chosen.map((product) => ({
    code: product.code,
    category: product.category,
    supply: product.supply,
    taxCode: product.taxCode,
    cases: needsTaxCheck(product) ? listTypicalBuyers(product, seller, asOf).map((buyer) => caseOf(product, buyer)) : [],
  }))
  const basis = { ...seller, asOf, timezone: facts.timezone, includeOrders: options.includeOrders ?? true, products, taxes: config.taxes }
  return { basis, draft }
}

function chooseProducts(products: readonly Product[], codes: readonly string[] | undefined): readonly Product[] {
  if (!codes) return products
  const known = products.map(({ code }) => code)
  const unknown = codes.findIndex((code) => !known.includes(code))
  if (unknown >= 0) {
    const close = findMostSimilarName(codes[unknown]!, known)
    throw invalidArguments([
      { path: `productCodes/${unknown}`, message: `no product ${codes[unknown]} in the draft${close ? `; did you mean ${close}?` : ''}` },
    ])
  }
  return products.filter(({ code }) => codes.includes(code))
}

/** Only products that can still be bought, at a price above zero, need a tax check. */
const needsTaxCheck = ({ retired, prices, category }: Product) =>
  !retired && (category === 'donation' || prices.some(({ amount }) => Number(amount) > 0))

/** Lists one buyer per place-of-supply rule that applies to the product. */
function listTypicalBuyers(
  product: Product,
  { establishedIn, registrations }: Pick<TaxAssessmentData, 'establishedIn' | 'registrations'>,
  asOf: string,
): Buyer[] {
  const consumer = (country: string, region: string | null): Buyer => ({ country, region, taxIdStatus: 'unchecked' })
  const atHome = consumer(establishedIn, null)
  const businessAbroad: Buyer = { country: establishedIn === 'FR' ? 'DE' : 'FR', region: null, taxIdStatus: 'valid' }
  const supply = getSupplyKind(product)
  if (supply === 'service') return [atHome, businessAbroad]
  if (supply !== 'virtual') return [atHome]
  const abroad = registrations
    .filter(({ country, from, until }) => country !== establishedIn && from <= asOf && (until === undefined || asOf <= until))
    .map(({ country, region }) => consumer(country, toRegionCode(country, region)))
  return [atHome, ...abroad, businessAbroad]
}
