import { z } from 'zod'
import { toOneLine, code, id, list, object, oneOf, pageArguments, pageResult, searchArgument, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { BOOTH_SORTS, listBoothInventory } from '../../domains/exhibitors/booths/list.ts'
import { Booth, BoothTotals, LISTED_BOOTH_STATUSES } from '../../domains/exhibitors/booths/read-booths.ts'
import { BOOTH_TYPES } from '../../domains/exhibitors/floor/booth-figures.ts'

/** A booth in the tool's output schema, which lists only the names of the fields. Most types are known from the filters of the input. */
const BriefBooth = toOneLine(Booth, 'id, number, floorPlanCode, status, type, area, width, depth, openSides, price, company')

export default eventTool({
  name: 'list_booths',
  title: 'List booths',
  description:
    'Find stands on the floor plan: which booths are free, held, sold or blocked, corners, islands and peninsulas, by size, area, zone, company or near another booth, with price and quality. Not for one stand in detail (use get_booth) or plans as a whole (use list_floor_plans). Returns booths and totals.',
  effect: 'read',
  toleratesLag: true,
  permission: 'exhibitors.read',
  input: {
    floorPlanCode: code().optional(),
    status: list(oneOf(LISTED_BOOTH_STATUSES), 4).optional(),
    sizeCode: code().optional(),
    type: oneOf(BOOTH_TYPES).optional(),
    zoneCode: text(80).optional(),
    minArea: z.number().min(0).optional(),
    maxArea: z.number().min(0).optional(),
    companyId: id('company').optional(),
    search: searchArgument().optional(),
    near: toOneLine(
      object({ boothNumber: text(12), distance: z.number().min(0).max(10_000) }),
      'boothNumber, distance in plan units',
    ).optional(),
    sort: oneOf(BOOTH_SORTS).optional(),
    ...pageArguments,
  },
  output: { booths: list(BriefBooth), total: z.int(), totals: BoothTotals, ...pageResult },
  run: listBoothInventory,
})
