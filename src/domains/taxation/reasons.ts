import type { Basis, Terms } from './basis.ts'
import type { Matter } from './findings.ts'
import type { FindingKind } from './judge.ts'
import { plainRate } from './judge.ts'
import type { Tally } from './tally.ts'

/** Where and why there, by the rule of the table of places. */
const WHERE: Record<string, (basis: Basis) => string> = {
  'inPerson-venue': ({ venue }) => `what people come to is taxed at the venue, in ${venue.country}`,
  'goods-venue': ({ venue }) => `what is handed over on site is taxed at the venue, in ${venue.country}`,
  'virtual-consumer': () => 'what consumers follow online is taxed where they are',
  'virtual-business-abroad': () => 'a business abroad with a valid tax id counts the tax itself',
  'service-business-abroad': () => 'a business abroad with a valid tax id counts the tax itself',
  'service-seller': ({ establishedIn }) => `this service is taxed where the seller is, in ${establishedIn}`,
  donation: () => 'a donation buys nothing',
}

const taxedAs = ({ taxCode, rate }: Terms) => (taxCode === null ? 'without a tax' : `at ${plainRate(rate)} % by ${taxCode}`)

type Said = { matter: Matter; basis: Basis; place: string; due: string; terms: Terms }

const SENTENCES: Record<FindingKind, (said: Said) => string> = {
  wrong_rate: ({ terms, place, due }) => `Taxed ${taxedAs(terms)}; the standard rate of ${place} is ${due} %`,
  wrong_jurisdiction: ({ terms, place, due }) => `Taxed ${taxedAs(terms)}, a tax of another place; due is that of ${place}, ${due} %`,
  missing_tax: ({ place, due }) => `Sold without a tax; due is that of ${place}, ${due} %`,
  tax_not_due: ({ terms }) => `Taxed ${taxedAs(terms)}, and none is due`,
  reverse_charge_missing: ({ terms }) => `Taxed ${taxedAs(terms)} for businesses abroad too; due is 0 % with the note reverse_charge`,
  not_registered: ({ place, due }) =>
    `Tax of ${place} (${due} %) is due, and the client has no tax registration there: register, or ask an adviser`,
  rate_expired: ({ terms, place, due }) => `Taxed ${taxedAs(terms)}, which is over; the standard rate of ${place} is ${due} %`,
  unknown_rate: ({ place }) => `${place} has no embedded rate — set it with config_set`,
  buyer_country_missing: ({ matter: { group } }) =>
    `${group.orders} ${group.orders === 1 ? 'order names' : 'orders name'} no country of the buyer, who decides where it is taxed`,
  supply_unknown: () => 'Its category says nothing of what is supplied: set supply to inPerson, virtual, goods or service',
  mixed_inclusive: () => 'Prices of this product held the tax for some buyers and not for others',
}

/** Why it is a finding, in one or two plain sentences. */
export function reasonOf(matter: Matter, basis: Basis, tally: Tally): string {
  const { group, drafted, product } = matter
  const place = group.places.join(', ')
  const terms = drafted?.terms ?? group.terms
  const sentence = SENTENCES[group.kind]({ matter, basis, place, due: group.rate ?? '', terms })
  const where = WHERE[group.rule]?.(basis)
  const more = [
    sentence + (where ? `: ${where}` : ''),
    ...(!drafted && group.lines > 0 && group.under + group.over > 0 ? ['The draft does so no more; what was issued stays as it is'] : []),
    ...(group.rule.startsWith('service') && tally.unverified[product.code]
      ? [
          `${tally.unverified[product.code]} lines are of buyers abroad whose tax id was not verified (format_ok is not valid): they pay the tax`,
        ]
      : []),
  ]
  return `${more.join('. ')}.`
}
