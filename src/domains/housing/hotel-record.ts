import { defineRecord } from '../../kernel/records.ts'
import { HOTEL_SALE_STATES } from './states.ts'

/** The editable fields of a hotel. Fields without `empty` cannot be cleared; they have a default in the database. */
export const HOTEL_RECORD = defineRecord({
  table: 'event_hotels',
  kind: 'hotel',
  noun: 'Hotel',
  name: (row) => row.code,
  primaryKey: ['tenant_id', 'event_id', 'id'],
  states: HOTEL_SALE_STATES,
  fields: {
    code: 'code',
    name: 'name',
    catalogRef: { column: 'catalog_ref', empty: null },
    supplierId: { column: 'supplier_id', empty: null },
    address: { column: 'address', json: 'whole', empty: {} },
    latitude: { column: 'latitude', empty: null },
    longitude: { column: 'longitude', empty: null },
    stars: { column: 'stars', empty: null },
    brand: { column: 'brand', empty: null },
    loyaltyProgram: { column: 'loyalty_program', empty: null },
    amenities: { column: 'amenities', empty: [] },
    description: { column: 'description', empty: null },
    photos: { column: 'photos', empty: [] },
    contacts: { column: 'contacts', json: 'whole', empty: [] },
    taxPercent: 'tax_percent',
    feePerNight: 'fee_per_night',
    feeTaxed: 'fee_taxed',
    sellStatus: 'sell_status',
    afterCutoff: 'after_cutoff',
  },
})
