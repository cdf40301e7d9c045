import { code, count, truncationResult, id, list, searchArgument, text } from '../kernel/args.ts'
import { personTool } from '../kernel/participant-tool.ts'
import { getBoothMap, BoothOnMapShape, MapFloorPlan, MapPoi, MapRoute } from '../domains/exhibitors/booth-map.ts'

export default personTool({
  name: 'get_booth_map',
  title: 'Show the booth map',
  description:
    'Show where exhibitors stand: the floor plan of the hall with booths, companies, entrances and food, as a picture and as numbers. With companies to see, booth numbers or a search: only those, highlighted, and the shortest way between them. For meeting times use list_exhibitor_availability. Returns booths, points of interest and the route.',
  effect: 'read',
  input: {
    floorPlanCode: code().optional(),
    companyIds: list(id('company'), 25).optional(),
    boothNumbers: list(text(12), 25).optional(),
    search: searchArgument().optional(),
    from: text(60).describe('id of a point of interest, or a booth number').optional(),
  },
  output: {
    floorPlans: list(MapFloorPlan),
    booths: list(BoothOnMapShape),
    total: count(),
    pois: list(MapPoi),
    route: MapRoute.optional(),
    ...truncationResult,
  },
  run: getBoothMap,
})
