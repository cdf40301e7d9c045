import { z } from 'zod'
import { toOneLine, code, count, list, object, oneOf, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { calculateLayout, storeLayout } from '../../domains/exhibitors/layout/generate-layout.ts'
import { LayoutMetrics } from '../../domains/exhibitors/layout/layout-shapes.ts'

const length = (min = 0) => z.number().min(min, `at least ${min}`).max(10_000, 'at most 10000')

export default eventTool({
  name: 'generate_max_fit',
  title: 'Generate a booth layout',
  description:
    'Work out how many booths (stands) fit into a hall: the densest arrangement of aisles and modules, such as 10x10 ft or 3x3 m, for the most net space (NSF) within fire rules. Only a proposal: apply it with manage_floor_plans. Not for placing companies. Returns counts, checks, what pillars cost, a picture.',
  effect: 'change',
  permission: 'exhibitors.write',
  input: {
    floorPlanCode: code(),
    module: toOneLine(object({ width: length(0.1), depth: length(0.1) }), 'width, depth; or sizeCode').optional(),
    sizeCode: code().optional(),
    aisle: length().optional(),
    crossAisle: length().optional(),
    perimeter: oneOf(['aisle', 'booths']).default('aisle'),
    perimeterAisle: length().optional(),
    maxRun: count(1, 200).default(10),
    exitClear: toOneLine(object({ width: length().optional(), depth: length().optional() }), 'width, depth').optional(),
    pillars: oneOf(['forbid', 'allow']).default('forbid'),
    clearance: length().default(0),
    angles: list(z.number().min(-360, 'at least -360').max(360, 'at most 360'), 12).optional(),
    grid: length(0.01).optional(),
    mix: toOneLine(list(object({ sizeCode: code(), count: count(1, 1000) }), 20), 'sizeCode, count').optional(),
    keep: oneOf(['none', 'assigned', 'held', 'all']).default('all'),
    prefix: text(6).optional(),
  },
  output: LayoutMetrics,
  findArgumentErrors: ({ module, sizeCode }) =>
    (module === undefined) === (sizeCode === undefined)
      ? [{ path: 'module', message: 'pass either module { width, depth } or sizeCode' }]
      : [],
  prefetch: calculateLayout,
  run: storeLayout,
})
