import { z } from 'zod'
import { toOneLine, count, list, object, text, untrustedText } from '../../../kernel/args.ts'
import type { EventContext } from '../../../kernel/context.ts'
import { runTaskCooperatively } from '../../../kernel/cooperative.ts'
import { notFound, preconditionFailed } from '../../../kernel/errors.ts'
import { paginateList, readValueStoredInCursor } from '../../../kernel/page.ts'
import { compareBoothNumbers } from '../company-facts.ts'
import { readLiveOrTestConfiguration } from '../context.ts'
import { toDrawnFloorPlan } from '../drawing/floor-plan-drawing.ts'
import { renderFloorPlan } from '../drawing/picture.ts'
import { listBooths } from '../floor/booths.ts'
import { toPolygonWithBoundingBox } from '../floor/distance.ts'
import { type FloorPlanRow, getFloorPlan, listPublishedPlans } from '../floor/floor-plans.ts'
import { readCompanyPriorityPoints } from '../points/read.ts'
import { findCompetitorPairs, findDeadZones, ratePlacementFairness, type RatedBooth } from './findings.ts'
import { listCompetitorPairs, listCompaniesByBooth, listProposedCompaniesByBooth } from './placed-companies.ts'
import { measureQuality, BOOTH_QUALITY_WEIGHTS, type BoothQualityWeights } from './quality.ts'

export const RatedBoothShape = object({
  number: text(),
  company: untrustedText().optional(),
  quality: z.number(),
  exposure: z.number(),
  distanceToEntrance: z.number().optional(),
  openSides: count(),
})

const PairedBooth = object({ number: text(), company: untrustedText() })
export const CompetitorPair = toOneLine(
  object({ a: PairedBooth, b: PairedBooth, distance: z.number(), limit: z.number() }),
  'a and b { number, company }, distance, limit in metres',
)

export const PlacementFairness = toOneLine(
  object({
    spearman: z.number().nullable(),
    n: count(),
    worst: list(object({ company: untrustedText(), points: z.number(), quality: z.number(), boothNumbers: list(text()) })),
  }),
  'spearman (null if n < 5), n, worst[] company, points, quality, boothNumbers',
)

interface PlacementRequest {
  floorPlanCode?: string | undefined
  proposalId?: string | undefined
  weights?: { [K in keyof BoothQualityWeights]?: number | undefined } | undefined
  limit: number
  cursor?: string | undefined
}

/** Rates all booths of a plan, and how fairly companies are placed: by the current assignments, or as a proposal would place them. */
export async function analyzePlacement(ctx: EventContext, { floorPlanCode, proposalId, weights, ...page }: PlacementRequest) {
  // Validates the cursor first, because a cursor of another list should be reported before any other error.
  readValueStoredInCursor(ctx, page)
  const plan = floorPlanCode === undefined ? await getFirstPlan(ctx) : await getFloorPlan(ctx, floorPlanCode)
  const { config } = await readLiveOrTestConfiguration(ctx, false)
  const rows = (await listBooths(ctx, plan.id)).toSorted((a, b) => compareBoothNumbers(a.number, b.number))
  const rated = await runTaskCooperatively(measureQuality(plan, rows, { ...BOOTH_QUALITY_WEIGHTS, ...dropUndefined(weights) }))
  if (!rated)
    throw preconditionFailed('Add an entrance POI', {
      fix: { tool: 'manage_floor_plans', arguments: { action: 'get', floorPlanCode: plan.code }, here: true },
    })
  const companies = await listCompaniesByBooth(ctx, plan.id)
  if (proposalId !== undefined)
    for (const [boothId, company] of await listProposedCompaniesByBooth(ctx, proposalId)) companies.set(boothId, company)
  const booths = rows.map(({ id, number, polygon }): RatedBooth => {
    const { quality, exposure } = rated.get(id)!
    return { number, shape: toPolygonWithBoundingBox(polygon), company: companies.get(id) ?? null, quality, exposure }
  })
  const limit = config.exhibitorConfig.competitorDistance
  const points = await readCompanyPriorityPoints(ctx, config, [...new Set([...companies.values()].map(({ companyId }) => companyId))])
  const names = new Map([...companies].map(([boothId, { name }]) => [boothId, name]))
  const heat = new Map([...rated].map(([id, { quality }]) => [id, quality / 100]))
  ctx.pictures.push(await renderFloorPlan(toDrawnFloorPlan(plan, rows, { companies: names, heat })))
  const { items, ...paging } = paginateList(ctx, page, {
    rows,
    shape: ({ id, number }) => {
      const { distanceToEntrance, ...figures } = rated.get(id)!
      const company = names.get(id)
      return {
        number,
        ...(company === undefined ? {} : { company }),
        ...figures,
        ...(distanceToEntrance === null ? {} : { distanceToEntrance }),
      }
    },
    pin: `${plan.id} ${plan.revision} ${rows.length}`,
    moved: 'the plan has changed since the first page; start again without a cursor',
  })
  return {
    booths: items,
    total: rows.length,
    competitorPairs: findCompetitorPairs(booths, await listCompetitorPairs(ctx), limit),
    deadZones: findDeadZones(booths, limit),
    fairness: ratePlacementFairness(booths, new Map([...points].map(([companyId, { total }]) => [companyId, total]))),
    ...paging,
  }
}

async function getFirstPlan(ctx: EventContext): Promise<FloorPlanRow> {
  const [plan] = await listPublishedPlans(ctx)
  if (!plan) throw notFound('No floor plan is published at this event. Pass floorPlanCode')
  return plan
}

const dropUndefined = (weights: PlacementRequest['weights']): Partial<BoothQualityWeights> =>
  Object.fromEntries(Object.entries(weights ?? {}).filter(([, value]) => value !== undefined))
