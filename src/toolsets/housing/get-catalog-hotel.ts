import { text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { CatalogHotel, fetchProvided, getCatalogHotel } from '../../domains/hotel-catalog/get.ts'

export default eventTool({
  name: 'get_catalog_hotel',
  title: 'Show a hotel of the catalog',
  description:
    'Show the profile of one hotel (property) and our past experience with it: everything known, with source and date, our earlier events there with pickup and rate, and its PCI standing. Not to search hotels (use find_hotel, which returns the catalogRef) nor for how this event fills up (use get_housing_summary).',
  effect: 'read',
  permission: 'housing.read',
  openWorld: true,
  input: { catalogRef: text(200) },
  output: CatalogHotel,
  prefetch: (ctx, { catalogRef }) => fetchProvided(ctx, catalogRef),
  run: getCatalogHotel,
})
