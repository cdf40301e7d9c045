import { text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { CatalogHotel, fetchProviderHotel, getCatalogHotel } from '../../domains/hotel-catalog/get.ts'

export default eventTool({
  name: 'get_catalog_hotel',
  title: 'Show a hotel of the catalog',
  description:
    'Show the profile of one hotel (property) and our past experience with it, such as how it picked up for us in earlier years and at what rate. Not to search hotels (use find_hotel, which lists catalogRefs) nor for how this event fills up (use get_housing_summary). Returns facts with source and date, our events there, and PCI standing.',
  effect: 'read',
  permission: 'housing.read',
  openWorld: true,
  input: { catalogRef: text(200) },
  output: CatalogHotel,
  prefetch: (ctx, { catalogRef }) => fetchProviderHotel(ctx, catalogRef),
  run: getCatalogHotel,
})
