import { z } from 'zod'
import { toOneLine, count, list, oneOf, pageArguments, pageResult, searchArgument, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import {
  FOUND_HOTEL_FIELDS_SUMMARY,
  findCatalogHotels,
  FoundHotelShape,
  SearchedPlaceShape,
  searchExternalSources,
} from '../../domains/hotel-catalog/find.ts'
import { CatalogSourceShape } from '../../domains/hotel-catalog/sources.ts'

export default eventTool({
  name: 'find_hotel',
  title: 'Find hotels',
  description:
    'Search hotels (properties, places to sleep) in walking distance of the venue, convention center or fairgrounds, near a city or coordinates, or by name, with stars, brand and number of rooms. Not for hotels already at the event (use get_housing_summary). Returns hotels with catalogRef, for add_hotel_from_catalog, and the sources searched.',
  effect: 'read',
  permission: 'housing.read',
  openWorld: true,
  input: {
    search: searchArgument().optional(),
    near: text(200).optional(),
    radiusKm: z.number().min(0.1, 'at least 0.1').max(50, 'at most 50').default(5),
    minRooms: count(1, 50_000).optional(),
    stars: count(1, 5).optional(),
    brand: text(100).optional(),
    source: oneOf(['local', 'provider', 'all']).default('all'),
    ...pageArguments,
  },
  output: {
    hotels: list(toOneLine(FoundHotelShape, FOUND_HOTEL_FIELDS_SUMMARY)),
    near: SearchedPlaceShape.optional(),
    sources: list(toOneLine(CatalogSourceShape, 'name, status ok|failed|skipped|notConfigured, reason, attribution')),
    ...pageResult,
  },
  prefetch: searchExternalSources,
  run: findCatalogHotels,
})
