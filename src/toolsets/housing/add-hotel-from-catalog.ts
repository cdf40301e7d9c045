import { eventTool } from '../../kernel/tool.ts'
import { addHotelArguments, addHotelFromCatalog, addHotelResult, fetchExternalHotelFacts } from '../../domains/hotel-catalog/add.ts'

export default eventTool({
  name: 'add_hotel_from_catalog',
  title: 'Add a hotel to the event',
  description:
    'Add a hotel to the event: one that find_hotel returned, by catalogRef, or one in no catalog, by name and address; with room types, contacts, tax, fee and its original contract (room block, rates). Later changes of rooms or terms: amend_contract. Sales start closed. Returns the hotel, its distance, PCI state and warnings.',
  effect: 'change',
  permission: 'housing.write',
  openWorld: true,
  keyed: true,
  dryRun: true,
  input: addHotelArguments,
  output: addHotelResult,
  prefetch: fetchExternalHotelFacts,
  run: addHotelFromCatalog,
})
