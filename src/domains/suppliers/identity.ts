import { normalizeHotelName } from '../hotel-catalog/same-hotel.ts'
import type { SupplierAddress } from './tables.ts'

const squash = (text: string | undefined) =>
  (text ?? '')
    .normalize('NFKC')
    .replace(/[\s-]+/g, '')
    .toLowerCase()

/** Returns the identity of a supplier: normalized name, country, and postal code or city. A client has one supplier per identity. */
export const getSupplierIdentity = (name: string, { postalCode, city, country }: SupplierAddress): string =>
  [normalizeHotelName(name, city ?? null), squash(country), squash(postalCode) || squash(city)].join('|')

/** Normalizes an amenity, so that case and punctuation do not matter in comparisons. */
export const normalizeAmenity = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '')
