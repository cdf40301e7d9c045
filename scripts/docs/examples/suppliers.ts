import { type Examples, SUMMIT_SCOPE } from './example.ts'

export const SUPPLIERS_EXAMPLES: Examples = {
  search_suppliers: async (stage) => {
    await stage.call('discover_supplier', { ...SUMMIT_SCOPE, url: 'https://hotel-douro.example/' })
    return { ...SUMMIT_SCOPE, search: 'douro', largestRoomFor: { people: 300, setup: 'classroom' } }
  },
  discover_supplier: () => ({ ...SUMMIT_SCOPE, url: 'https://hotel-ribeira.example/Hotel%20Ribeira', save: false }),
  discover_suppliers_from_criteria: () => ({
    ...SUMMIT_SCOPE,
    criteria: { place: 'Lisbon', radiusKm: 5, kind: 'hotel' },
    limit: 3,
    save: false,
  }),
}
