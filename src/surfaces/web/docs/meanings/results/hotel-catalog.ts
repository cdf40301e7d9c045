import type { FieldDocsByTool } from '../meanings.ts'

export const HOTEL_CATALOG_RESULT_DOCS: FieldDocsByTool = {
  find_hotel: {
    hotels: 'The hotels that were found, by distance, or by how well the name matches.',
    sources: 'Where was searched.',
    near: 'The place that was searched around.',
  },
  get_catalog_hotel: {
    name: 'Name of the hotel.',
    catalogRef: 'Id of the hotel for get_catalog_hotel and add_hotel_from_catalog.',
    address: 'Address on one line.',
    stars: 'Number of stars.',
    brand: 'Brand or chain.',
    rooms: 'Number of rooms of the hotel.',
    hotelId: 'Id of the hotel at this event, if it was added already.',
    latitude: 'Latitude in degrees.',
    longitude: 'Longitude in degrees.',
    phone: 'Phone number.',
    website: 'Website of the hotel.',
    pci: "State of the hotel's latest attestation of card security.",
    staleSince: 'The provider does not respond; its facts are too old since this time.',
  },
  add_hotel_from_catalog: {
    hotel: 'The hotel at this event.',
    distanceKm: 'Distance to the venue, as the crow flies.',
    pci: "State of the client's attestation of card security for this hotel.",
    warnings: 'What is missing before rooms can be booked.',
  },
}
