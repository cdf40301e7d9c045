import { z } from 'zod'
import { toOneLine, count, flag, id, limitArgument, list, object, oneOf, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { CatalogSourceShape } from '../../domains/hotel-catalog/sources.ts'
import { CANDIDATE_FIELDS_TEXT, SupplierCandidate, discoverSuppliers, prepareDiscovery } from '../../domains/suppliers/discover-many.ts'
import { SUPPLIER_KINDS } from '../../domains/suppliers/supplier-record.ts'

const Criteria = object({
  place: text(200),
  radiusKm: z.number().min(0.1, 'at least 0.1').max(50, 'at most 50'),
  kind: oneOf(SUPPLIER_KINDS),
  minSleepingRooms: count(1, 50_000).optional(),
  minTotalSqm: z.number().positive('greater than 0').max(1_000_000).optional(),
  stars: count(1, 7).optional(),
  amenities: list(text(120), 20).optional(),
})

export default eventTool({
  name: 'discover_suppliers_from_criteria',
  title: 'Find new venues that could host us',
  description:
    'Find new venues and hotels going by the brief (our specs) or criteria (place, radius, bedrooms, square metres of meeting space, stars, amenities), from own suppliers and hotel catalogs, ranked by fit; the best are saved. For known ones use search_suppliers. Returns candidates.',
  effect: 'change',
  permission: 'sourcing.write',
  openWorld: true,
  keyed: true,
  dryRun: true,
  idempotent: true,
  input: {
    briefId: id('brief').optional(),
    criteria: toOneLine(Criteria, 'place, radiusKm, kind, minSleepingRooms?, minTotalSqm?, stars?, amenities[]?').optional(),
    limit: limitArgument(50).default(20),
    save: flag().default(true),
  },
  output: {
    candidates: list(toOneLine(SupplierCandidate, CANDIDATE_FIELDS_TEXT)),
    sources: list(toOneLine(CatalogSourceShape, 'name, status ok|failed|skipped|notConfigured, reason, attribution')),
    saved: count(),
  },
  prefetch: prepareDiscovery,
  run: discoverSuppliers,
})
