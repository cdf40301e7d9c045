import { z } from 'zod'
import { toOneLine, count, id, list, object, oneOf, pageArguments, pageResult, searchArgument, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { ROOM_SETUPS } from '../../domains/briefs/answers.ts'
import { geocodeSupplierSearch, searchSuppliers } from '../../domains/suppliers/search.ts'
import { SUPPLIER_SUMMARY_FIELDS_TEXT, SupplierSummary } from '../../domains/suppliers/shapes.ts'
import { SUPPLIER_STATES } from '../../domains/suppliers/states.ts'
import { SUPPLIER_KINDS } from '../../domains/suppliers/supplier-record.ts'

export default eventTool({
  name: 'search_suppliers',
  title: 'Search our own supplier database',
  description:
    'Search our own vendors on file, known or worked with before (hotels, venues, AV companies, caterers, transport), by name, place, rooms, meeting space, capacity, amenities or status, or by fit for a brief. To find new ones use discover_suppliers_from_criteria. Returns suppliers.',
  effect: 'read',
  permission: 'sourcing.read',
  openWorld: true,
  input: {
    search: searchArgument().optional(),
    kind: oneOf(SUPPLIER_KINDS).optional(),
    near: text(200).optional(),
    radiusKm: z.number().min(0.1, 'at least 0.1').max(500, 'at most 500').optional(),
    minSleepingRooms: count(1, 50_000).optional(),
    minTotalSqm: z.number().min(1, 'at least 1').max(1_000_000).optional(),
    largestRoomFor: toOneLine(
      object({ people: count(1, 1_000_000), setup: oneOf(ROOM_SETUPS) }),
      `people, setup ${ROOM_SETUPS.join('|')}`,
    ).optional(),
    amenities: list(text(120), 20).optional(),
    status: oneOf(SUPPLIER_STATES.all).optional(),
    briefId: id('brief').optional(),
    ...pageArguments,
  },
  output: { suppliers: list(toOneLine(SupplierSummary, SUPPLIER_SUMMARY_FIELDS_TEXT)), ...pageResult },
  prefetch: geocodeSupplierSearch,
  run: searchSuppliers,
})
