import type { ExhibitorContext } from '../context.ts'
import { compareBoothNumbers } from '../company-facts.ts'
import { readBoothLocationQuality } from '../booths/plan-cache.ts'
import { type ListedBooth, readBoothsOfPlans } from '../booths/read-booths.ts'
import type { DrawnRecognizedObject } from '../drawing/drawing.ts'
import { drawFloorPlan } from '../drawing/drawing.ts'
import { type PlanLayers, toDrawnFloorPlan } from '../drawing/floor-plan-drawing.ts'
import { STYLESHEET_PALETTE } from '../drawing/palette.ts'
import { toSvg } from '../../drawing/svg.ts'
import type { FloorPlanRow } from '../floor/floor-plans.ts'
import { readScan, applyFoundOutline } from '../plan-scans/describe-scan.ts'
import type { RecognizedPlanObject } from '../floor/plan-shapes.ts'
import { findApplicableLayout } from './apply-layout.ts'
import { findLastFloorPlanScan } from './plan-results.ts'

export const FLOOR_PLAN_MAP_LAYERS = ['booths', 'findings', 'flow', 'layout'] as const
export type FloorPlanMapLayer = (typeof FLOOR_PLAN_MAP_LAYERS)[number]

interface MapRequest {
  layer: FloorPlanMapLayer
  /** Number of the booth whose details are shown on the page. */
  picked?: string | undefined
  /** Returns the address of the page of a booth. */
  hrefOf: (number: string) => string
  /** Returns the letter that marks an object recognized in the scan of the plan, such as a pillar. */
  markOf: (finding: RecognizedPlanObject) => string
}

/**
 * Length in pixels of the longer side of a drawing on a web page. Pages scale the drawing, so this decides how large text is relative to
 * booths.
 */
const PIXELS = 640

/** Reads a plan with its booths, scan and layout, and draws one of its layers. Each booth in the drawing is a link. */
export async function drawFloorPlanMap(ctx: ExhibitorContext, plan: FloorPlanRow, { layer, picked, hrefOf, markOf }: MapRequest) {
  const booths = (await readBoothsOfPlans(ctx, [plan])).toSorted((a, b) => compareBoothNumbers(a.row.number, b.row.number))
  const rows = booths.map(({ row }) => row)
  const byId = new Map(booths.map((booth) => [booth.row.id, booth]))
  const lastScan = (await findLastFloorPlanScan(ctx, plan.id)) ?? null
  const scan = lastScan && (await readScan(ctx, lastScan.scanId))
  const layout = await findApplicableLayout(ctx, plan)
  const quality = layer === 'flow' ? await readBoothLocationQuality(plan, rows) : null
  const layers: PlanLayers = {
    companies: new Map(booths.flatMap(({ row, company }) => (company ? [[row.id, company.name]] : []))),
    linkTo: ({ id, number }) => ({ href: hrefOf(number), label: describe(byId.get(id)!) }),
    picked: rows.find(({ number }) => number === picked)?.id,
    ...(quality ? { heat: new Map([...quality].map(([id, one]) => [id, one.quality / 100])) } : {}),
    ...(layer === 'layout' && layout ? { layout: layout.result.booths } : {}),
  }
  const found = layer === 'findings' && scan ? applyFoundOutline(plan, scan.findings) : null
  const findings = found?.others.map((finding): DrawnRecognizedObject => ({ ...finding, mark: markOf(finding) }))
  // Draws the marked booth last, so that its neighbours do not cover the ring around it.
  const inOrder = rows.toSorted((a, b) => Number(a.id === layers.picked) - Number(b.id === layers.picked))
  const drawn = toDrawnFloorPlan(found?.drawn ?? plan, inOrder, { ...layers, ...(findings ? { findings } : {}) })
  return {
    svg:
      drawn.outer.length === 0 && rows.length === 0 && !findings?.length ? null : toSvg(drawFloorPlan(drawn, PIXELS, STYLESHEET_PALETTE)),
    booths,
    scan: scan && { ...scan.scan, findings: scan.findings },
    layout,
    quality,
  }
}

export type FloorPlanMap = Awaited<ReturnType<typeof drawFloorPlanMap>>

const describe = ({ row, company }: ListedBooth) => `Booth ${row.number}, ${row.status}${company ? `, ${company.name}` : ''}`
