import { z } from 'zod'
import { toOneLine, code, count, flag, id, ifRevision, list, name, object, oneOf, text, truncationResult } from '../../../kernel/args.ts'
import { BOOTH_REPLACEMENT_OPTIONS } from './apply-layout.ts'
import {
  aislesSchema,
  lengthSchema,
  obstaclesSchema,
  outlineSchema,
  pointSchema,
  pointsOfInterestSchema,
  zonesSchema,
} from './plan-arguments.ts'
import { FloorPlan, FLOOR_PLAN_PARTS } from './plan-results.ts'

const MAX_SVG_LENGTH = 500_000

/** The arguments of manage_floor_plans. Each action takes some of them. */
export const FLOOR_PLAN_ARGUMENTS = {
  floorPlanCode: code(),
  include: list(oneOf(FLOOR_PLAN_PARTS), FLOOR_PLAN_PARTS.length),
  code: code(),
  name: name(160),
  units: oneOf(['m', 'ft']),
  fileId: id('file'),
  url: text(2000),
  svg: text(MAX_SVG_LENGTH),
  outline: outlineSchema(),
  width: lengthSchema(1),
  height: lengthSchema(1),
  obstacles: obstaclesSchema(),
  aisles: aislesSchema(),
  zones: zonesSchema(),
  pois: pointsOfInterestSchema(),
  merge: flag(),
  remove: list(text(63)),
  ifRevision: ifRevision().unwrap(),
  a: pointSchema(),
  b: pointSchema(),
  distance: lengthSchema(0.001),
  scanId: id('floorPlanScan'),
  findingIds: list(text(40), 5000),
  minConfidence: z.number().min(0, 'at least 0').max(1, 'at most 1'),
  layoutId: id('layout'),
  replace: oneOf(BOOTH_REPLACEMENT_OPTIONS),
  toEventCode: code(),
}

export const FLOOR_PLAN_RESULT_FIELDS = {
  floorPlan: FloorPlan,
  changed: list(text()).optional(),
  applied: count().optional(),
  skipped: toOneLine(list(object({ id: text(), reason: text(1000) })), 'id, reason').optional(),
  scanId: id().optional(),
  jobId: id().optional(),
  warnings: list(text(2000)).optional(),
  ...truncationResult,
}
