import type { FieldDocsByTool } from '../meanings.ts'

export const SUPPLIER_ARGUMENT_DOCS: FieldDocsByTool = {
  search_suppliers: {
    search: 'Words of the name, chain, city or website. Spelling mistakes are tolerated if nothing matches.',
    kind: 'Only suppliers of this kind.',
    near: '"venue", a city, an address, or "latitude,longitude". Sorts by distance.',
    radiusKm: 'How far from the place, in kilometers.',
    minSleepingRooms: 'Only suppliers with at least this many sleeping rooms.',
    minTotalSqm: 'Only suppliers with at least this much meeting space, in square meters.',
    largestRoomFor: 'Only suppliers with a room for this many people in this setup.',
    'largestRoomFor.people': 'Number of people.',
    'largestRoomFor.setup': 'Setup of the room. Without a stated capacity, the area decides.',
    amenities: 'Only suppliers that have all of these.',
    status: 'Only suppliers with this status. Blocked suppliers are shown only if asked for.',
    briefId: 'Rank by how well suppliers fit this brief.',
  },
  discover_supplier: {
    url: 'Website of the supplier. Its page and up to five pages of the same site are read.',
    name: 'Name of a hotel to look up in the configured catalog, instead of `url`.',
    city: 'City of the hotel that `name` names.',
    kind: 'Kind of supplier, if the website does not say it correctly.',
    save: 'False shows what would be saved.',
  },
  discover_suppliers_from_criteria: {
    briefId: 'The brief that suppliers should fit.',
    criteria: 'What suppliers should have, instead of a brief.',
    'criteria.place': '"venue", a city, an address, or "latitude,longitude".',
    'criteria.radiusKm': 'How far from the place, in kilometers.',
    'criteria.kind': 'Kind of supplier. The catalog and the provider know hotels only.',
    'criteria.minSleepingRooms': 'Least number of sleeping rooms. Suppliers with an unknown number are kept.',
    'criteria.minTotalSqm': 'Least meeting space in square meters. Unknown is kept.',
    'criteria.stars': 'Least number of stars. Unknown is kept.',
    'criteria.amenities': 'Amenities that raise the fit.',
    save: 'False shows the candidates without saving them.',
  },
}
