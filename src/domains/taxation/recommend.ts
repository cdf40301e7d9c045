import type { TaxRate, TaxRates } from '../../kernel/ports.ts'
import type { AssessedProduct, Basis, Tax } from './basis.ts'
import type { Matter } from './findings.ts'
import { plainRate, sameRate } from './judge.ts'
import { placeName, type TaxedPlace } from './places.ts'
import { rateOn } from './rates.ts'

/** As it is added to the draft where it is missing. */
export type NewTax = Pick<Tax, 'code' | 'name' | 'rate' | 'inclusive' | 'appliesIn' | 'productCategories' | 'components' | 'reverseCharge'>

/**
 * What mends the draft. `name`: the product names the tax. `byPlace`: it names none, so that each buyer's place decides; the tax is one
 * of those. `reverse`: the tax that its place finds learns of reverse charge. `clear`: it names none, because none is due.
 */
export type Change = {
  how: 'name' | 'byPlace' | 'reverse' | 'clear'
  /** The tax that the product named when it was assessed. */
  was: string | null
  tax: NewTax | null
}

/** The draft needs nothing but another tax: for these kinds, where the rate is known. */
const MENDED_BY_TAX = new Set(['wrong_rate', 'wrong_jurisdiction', 'missing_tax', 'rate_expired'])

/** Gives each matter its change. Codes are given out once, so that two products that need the same tax get one. */
export function recommender(basis: Basis, rates: TaxRates): (matter: Matter) => Change | null {
  const codes = codesOver(basis.taxes)
  return function changeFor({ group: { kind }, drafted, product }: Matter): Change | null {
    if (!drafted) return null
    const { verdict, terms } = drafted
    const was = product.taxCode
    if (kind === 'tax_not_due') return was === null ? null : { how: 'clear', was, tax: null }
    if (kind === 'reverse_charge_missing') {
      const found = was === null ? basis.taxes.find(({ code }) => code === terms.taxCode) : undefined
      if (found) return { how: 'reverse', was, tax: found }
      const home = { country: basis.establishedIn, region: basis.venue.country === basis.establishedIn ? basis.venue.region : null }
      const rate = rateOn(rates, home, basis.asOf)
      return rate && { how: 'name', was, tax: codes(home, rate, { inclusive: terms.inclusive, category: product.category }) }
    }
    if (!MENDED_BY_TAX.has(kind) || !verdict.place || !verdict.due) return null
    const tax = codes(verdict.place, verdict.due, { inclusive: terms.inclusive, category: product.category })
    if (verdict.rule !== 'virtual-consumer') return { how: 'name', was, tax }
    return was === null || staysElsewhere(basis, was) ? { how: 'byPlace', was, tax } : null
  }
}

/** Whether buyers of other places go on to pay the tax that the product no longer names. */
function staysElsewhere({ taxes }: Basis, code: string): boolean {
  const everywhere = taxes.find(({ appliesIn, productCategories }) => appliesIn.length === 0 && productCategories.length === 0)
  return everywhere?.code === code
}

type Priced = Pick<Tax, 'inclusive'> & Pick<AssessedProduct, 'category'>

function codesOver(taxes: readonly Tax[]) {
  const taken = new Map<string, Pick<Tax, 'rate' | 'inclusive'>>(taxes.map((tax) => [tax.code, tax]))
  return (place: TaxedPlace, { rate, components }: Pick<TaxRate, 'rate' | 'components'>, { inclusive, category }: Priced): NewTax => {
    const written = plainRate(rate)
    const plain = `vat-${placeName(place)}-${written}`.toLowerCase().replaceAll('.', '-')
    const fits = (code: string) => {
      const other = taken.get(code)
      return !other || (sameRate(other.rate, rate) && other.inclusive === inclusive)
    }
    const code = fits(plain) ? plain : `${plain}-${inclusive ? 'inclusive' : 'exclusive'}`
    taken.set(code, { rate: written, inclusive })
    return {
      code,
      name: `VAT ${placeName(place)} ${written} %`,
      rate: written,
      inclusive,
      appliesIn: [placeName(place)],
      // Else products of other categories that name no tax would have this one from now on, unasked.
      productCategories: [category],
      components: [...components],
      // Where the table of places says so, and nowhere else: right for every tax of this kind.
      reverseCharge: true,
    }
  }
}
