import { normalizeHotelName } from '../hotel-catalog/same-hotel.ts'
import type { SupplierAddress } from './tables.ts'

const squash = (text: string | undefined) =>
  (text ?? '')
    .normalize('NFKC')
    .replace(/[\s-]+/g, '')
    .toLowerCase()

/** Normalised name, country, and postal code or city. A client has one supplier of each identity. */
export const identityOf = (name: string, { postalCode, city, country }: SupplierAddress): string =>
  [normalizeHotelName(name, city ?? null), squash(country), squash(postalCode) || squash(city)].join('|')

/** Amenities are compared without regard to case and punctuation. */
export const foldAmenity = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '')
