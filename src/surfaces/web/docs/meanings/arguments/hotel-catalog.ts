import type { ToolMeanings } from '../meanings.ts'

export const HOTEL_CATALOG_ARGUMENTS: ToolMeanings = {
  find_hotel: {
    search: 'Words of the name, brand, city or street. Spelling mistakes are tolerated if nothing matches.',
    near: '"venue", a city ("Lisbon", "Springfield, IL, US"), an address, or "latitude,longitude".',
    radiusKm: 'How far from the place, in kilometers.',
    minRooms: 'Only hotels with at least this many rooms. Hotels whose rooms are unknown are left out.',
    stars: 'Only hotels with this many stars; 4 also finds 4.5.',
    brand: 'Only hotels of this brand or chain.',
    source: 'Where to search: hotels of your events and the imported catalog (local), the configured provider, or both.',
  },
  get_catalog_hotel: { catalogRef: 'The hotel, as find_hotel returned it.' },
  add_hotel_from_catalog: {
    catalogRef: 'The hotel, as find_hotel returned it. Its facts are copied.',
    name: 'Name of a hotel in no catalog; with a catalogRef, the name at this event.',
    address: 'Address of a hotel in no catalog.',
    code: 'Short code of the hotel at this event; made from the name if omitted.',
    roomTypes: 'Room types that the contract names.',
    contract: 'The original contract, with the fields of amend_contract: nights, terms, status, signedOn, fileId.',
    contacts: 'People at the hotel.',
    sellStatus: 'Who may book: open, changes (existing reservations only), changesSameType or closed.',
    taxPercent: 'Tax on the rate, in percent.',
    feePerNight: 'Fee per room and night.',
    feeTaxed: 'Whether the fee is taxed.',
    afterCutoff: 'What happens after the cut-off: closed, or a waiting list.',
    latitude: 'Overrides the latitude of the catalog.',
    longitude: 'Overrides the longitude of the catalog.',
  },
}
