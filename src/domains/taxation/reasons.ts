import type { TaxAssessmentData, LineTaxTreatment } from './basis.ts'
import type { TaxIssue } from './findings.ts'
import type { TaxFindingKind } from './judge.ts'
import { formatPlainTaxRate } from './judge.ts'
import type { AssessmentCounts } from './tally.ts'

/** The explanation of each place-of-supply rule. */
const RULE_EXPLANATIONS: Record<string, (basis: TaxAssessmentData) => string> = {
  'inPerson-venue': ({ venue }) => `in-person products are taxed at the venue, in ${venue.country}`,
  'goods-venue': ({ venue }) => `goods handed over on site are taxed at the venue, in ${venue.country}`,
  'virtual-consumer': () => 'virtual products are taxed where the consumer is',
  'virtual-business-abroad': () => 'a foreign business with a valid tax id declares the tax itself',
  'service-business-abroad': () => 'a foreign business with a valid tax id declares the tax itself',
  'service-seller': ({ establishedIn }) => `this service is taxed where the seller is, in ${establishedIn}`,
  donation: () => 'a donation is not a supply',
}

const describeTax = ({ taxCode, rate }: LineTaxTreatment) =>
  taxCode === null ? 'without a tax' : `at ${formatPlainTaxRate(rate)} % by ${taxCode}`

type ReasonContext = { matter: TaxIssue; basis: TaxAssessmentData; place: string; due: string; terms: LineTaxTreatment }

const REASONS_BY_KIND: Record<TaxFindingKind, (said: ReasonContext) => string> = {
  wrong_rate: ({ terms, place, due }) => `Taxed ${describeTax(terms)}; the standard rate of ${place} is ${due} %`,
  wrong_jurisdiction: ({ terms, place, due }) =>
    `Taxed ${describeTax(terms)}, a tax of another place; due is the tax of ${place}, ${due} %`,
  missing_tax: ({ place, due }) => `Sold without tax; due is the tax of ${place}, ${due} %`,
  tax_not_due: ({ terms }) => `Taxed ${describeTax(terms)}, but no tax is due`,
  reverse_charge_missing: ({ terms }) => `Taxed ${describeTax(terms)} for foreign businesses too; due is 0 % with the note reverse_charge`,
  not_registered: ({ place, due }) =>
    `Tax of ${place} (${due} %) is due, but the client has no tax registration there: register, or ask a tax adviser`,
  rate_expired: ({ terms, place, due }) => `Taxed ${describeTax(terms)}, which has expired; the standard rate of ${place} is ${due} %`,
  unknown_rate: ({ place }) => `${place} has no embedded rate — set it with config_set`,
  buyer_country_missing: ({ matter: { group } }) =>
    `${group.orders} ${group.orders === 1 ? 'order has' : 'orders have'} no buyer country, which decides where the sale is taxed`,
  supply_unknown: () => 'The category does not say what is supplied: set supply to inPerson, virtual, goods or service',
  mixed_inclusive: () => 'Prices of this product included tax for some buyers and excluded it for others',
}

export function describeTaxReason(matter: TaxIssue, basis: TaxAssessmentData, tally: AssessmentCounts): string {
  const { group, drafted, product } = matter
  const place = group.places.join(', ')
  const terms = drafted?.terms ?? group.terms
  const sentence = REASONS_BY_KIND[group.kind]({ matter, basis, place, due: group.rate ?? '', terms })
  const where = RULE_EXPLANATIONS[group.rule]?.(basis)
  const more = [
    sentence + (where ? `: ${where}` : ''),
    ...(!drafted && group.lines > 0 && group.under + group.over > 0 ? ['The draft is correct now; issued invoices stay as they are'] : []),
    ...(group.rule.startsWith('service') && tally.unverified[product.code]
      ? [
          `${tally.unverified[product.code]} lines have foreign buyers whose tax id was not verified (format_ok is not valid): they pay the tax`,
        ]
      : []),
  ]
  return `${more.join('. ')}.`
}
