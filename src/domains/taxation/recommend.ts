import type { TaxRate, TaxRates } from '../../kernel/ports.ts'
import type { AssessedProduct, TaxAssessmentData, ConfiguredTax } from './basis.ts'
import type { TaxIssue } from './findings.ts'
import { formatPlainTaxRate, isSameTaxRate } from './judge.ts'
import { formatTaxJurisdiction, type TaxJurisdiction } from './places.ts'
import { findTaxRate } from './rates.ts'

/** A tax to add to the draft configuration. */
export type RecommendedNewTax = Pick<
  ConfiguredTax,
  'code' | 'name' | 'rate' | 'inclusive' | 'appliesIn' | 'productCategories' | 'components' | 'reverseCharge'
>

/**
 * The recommended change of the draft configuration. `name`: the product names this tax. `byPlace`: the product names no tax, so that the
 * buyer's place decides among the taxes, including this one. `reverse`: reverse charge is enabled on the tax found by place. `clear`: the
 * product names no tax, because none is due.
 */
export type RecommendedTaxChange = {
  how: 'name' | 'byPlace' | 'reverse' | 'clear'
  /** The tax code of the product at the time of the assessment. */
  was: string | null
  tax: RecommendedNewTax | null
}

/** Kinds of findings that are fixed by using another tax, if the rate is known. */
const KINDS_FIXED_BY_TAX = new Set(['wrong_rate', 'wrong_jurisdiction', 'missing_tax', 'rate_expired'])

/** Creates the recommended change for each tax issue. Two products that need the same tax share one new tax. */
export function createTaxChangeRecommender(basis: TaxAssessmentData, rates: TaxRates): (matter: TaxIssue) => RecommendedTaxChange | null {
  const buildTax = createTaxFactory(basis.taxes)
  return function changeFor({ group: { kind }, drafted, product }: TaxIssue): RecommendedTaxChange | null {
    if (!drafted) return null
    const { verdict, terms } = drafted
    const was = product.taxCode
    if (kind === 'tax_not_due') return was === null ? null : { how: 'clear', was, tax: null }
    if (kind === 'reverse_charge_missing') {
      const found = was === null ? basis.taxes.find(({ code }) => code === terms.taxCode) : undefined
      if (found) return { how: 'reverse', was, tax: found }
      const home = { country: basis.establishedIn, region: basis.venue.country === basis.establishedIn ? basis.venue.region : null }
      const rate = findTaxRate(rates, home, basis.asOf)
      return rate && { how: 'name', was, tax: buildTax(home, rate, { inclusive: terms.inclusive, category: product.category }) }
    }
    if (!KINDS_FIXED_BY_TAX.has(kind) || !verdict.place || !verdict.due) return null
    const tax = buildTax(verdict.place, verdict.due, { inclusive: terms.inclusive, category: product.category })
    if (verdict.rule !== 'virtual-consumer') return { how: 'name', was, tax }
    return was === null || isDefaultTax(basis, was) ? { how: 'byPlace', was, tax } : null
  }
}

/** Whether a tax is the default: it applies in all places and to all product categories, so a product need not name it. */
function isDefaultTax({ taxes }: TaxAssessmentData, code: string): boolean {
  const everywhere = taxes.find(({ appliesIn, productCategories }) => appliesIn.length === 0 && productCategories.length === 0)
  return everywhere?.code === code
}

type Priced = Pick<ConfiguredTax, 'inclusive'> & Pick<AssessedProduct, 'category'>

function createTaxFactory(taxes: readonly ConfiguredTax[]) {
  const taken = new Map<string, Pick<ConfiguredTax, 'rate' | 'inclusive'>>(taxes.map((tax) => [tax.code, tax]))
  return (
    place: TaxJurisdiction,
    { rate, components }: Pick<TaxRate, 'rate' | 'components'>,
    { inclusive, category }: Priced,
  ): RecommendedNewTax => {
    const written = formatPlainTaxRate(rate)
    const plain = `vat-${formatTaxJurisdiction(place)}-${written}`.toLowerCase().replaceAll('.', '-')
    const fits = (code: string) => {
      const other = taken.get(code)
      return !other || (isSameTaxRate(other.rate, rate) && other.inclusive === inclusive)
    }
    const code = fits(plain) ? plain : `${plain}-${inclusive ? 'inclusive' : 'exclusive'}`
    taken.set(code, { rate: written, inclusive })
    return {
      code,
      name: `VAT ${formatTaxJurisdiction(place)} ${written} %`,
      rate: written,
      inclusive,
      appliesIn: [formatTaxJurisdiction(place)],
      // Without the category, the new tax would also apply to products of other categories that name no tax.
      productCategories: [category],
      components: [...components],
      // Enabling reverse charge is always safe, because it also requires a matching place-of-supply rule.
      reverseCharge: true,
    }
  }
}
