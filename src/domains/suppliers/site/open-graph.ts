import { findCountryCode } from '../../../kernel/country-names.ts'
import type { SupplierAddress } from '../tables.ts'
import { buildSupplierContact } from './contacts.ts'
import { type SupplierFact, toSupplierFacts } from './facts.ts'
import { toSingleLine } from './text.ts'

/** Reads facts from the OpenGraph properties of a page. */
export function readOpenGraph(meta: ReadonlyMap<string, string>): SupplierFact[] {
  const find = (max: number, ...names: string[]) => {
    const written = names.map((name) => meta.get(name)).find((value) => value !== undefined && value !== '')
    return written === undefined ? null : toSingleLine(written, max)
  }
  const country = find(60, 'og:country-name', 'business:contact_data:country_name')
  const address = {
    street: find(200, 'og:street-address', 'business:contact_data:street_address'),
    postalCode: find(20, 'og:postal-code', 'business:contact_data:postal_code'),
    city: find(120, 'og:locality', 'business:contact_data:locality'),
    region: find(120, 'og:region', 'business:contact_data:region'),
    country: country === null ? null : (findCountryCode(country) ?? null),
  }
  const [latitude, longitude] = [
    Number(find(30, 'place:location:latitude', 'og:latitude') ?? Number.NaN),
    Number(find(30, 'place:location:longitude', 'og:longitude') ?? Number.NaN),
  ]
  const contact = buildSupplierContact({
    email: find(254, 'og:email', 'business:contact_data:email'),
    phone: find(60, 'og:phone_number', 'business:contact_data:phone_number'),
  })
  const isHotel = /hotel/.test(meta.get('og:type') ?? '')
  return toSupplierFacts(
    {
      name: find(160, 'og:site_name', 'og:title'),
      kind: isHotel ? 'hotel' : null,
      address: Object.fromEntries(Object.entries(address).filter(([, part]) => part !== null)) as SupplierAddress,
      point: Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 ? { latitude, longitude } : null,
      contacts: contact ? [contact] : null,
    },
    { source: 'opengraph', confidence: 'low' },
  )
}
