import type { Tables } from '../../kernel/columns.ts'
import type { BoothOrderLine } from './booths/price.ts'
import type { StoredProposal, StoredProposalInput } from './proposals/stored.ts'
import type {
  AffineTransformation,
  Aisle,
  RecognizedPlanObject,
  StoredGeneratedLayout,
  Obstacle,
  Outline,
  PointOfInterest,
  Polygon,
  PlanScale,
  FloorPlanScanScale,
  Zone,
} from './floor/plan-shapes.ts'

export type LeadCaptureType = 'sdk' | 'device' | 'appointment' | 'manual' | 'import'

export type AppointmentsTable = Tables['appointments']

/** The booths that an application asks for, as stored in the database. */
export interface BoothPreferences {
  /** Codes of the booth sizes that the applicant wants, the preferred one first. */
  sizes: readonly string[]
  boothNumbers: readonly string[]
  zoneCodes?: readonly string[]
  zonesOnly?: boolean
  minArea?: number
  maxArea?: number
  type?: string
  near?: readonly string[]
  awayFrom?: readonly string[]
  sameAsLastYear?: boolean
  /** Whether the company would accept a booth that it did not request. */
  acceptOther: boolean
}

/** Order lines of one booth in an offer. */
export interface OfferedBoothOrderLines {
  boothId: string
  lines: BoothOrderLine[]
}

declare module '../../kernel/columns.ts' {
  interface ColumnTypes {
    'companies.billing': Record<string, unknown>
    'floor_plans.outline': Outline
    'floor_plans.scale': PlanScale
    'floor_plans.obstacles': Obstacle[]
    'floor_plans.source_to_plan': AffineTransformation | null
    'floor_plans.aisles': Aisle[]
    'floor_plans.zones': Zone[]
    'floor_plans.pois': PointOfInterest[]
    'booths.polygon': Polygon
    'floor_plan_layouts.input': Record<string, unknown>
    'floor_plan_layouts.result': StoredGeneratedLayout
    'floor_plan_scans.options': Record<string, unknown>
    'floor_plan_scans.progress': { done: number; total: number }
    'floor_plan_scans.findings': RecognizedPlanObject[]
    'floor_plan_scans.scale': FloorPlanScanScale
    'booth_applications.wanted': BoothPreferences
    'booth_applications.answers': Record<string, unknown>
    'booth_applications.offer_lines': OfferedBoothOrderLines[]
    'assignment_proposals.plan_revisions': Record<string, number>
    'assignment_proposals.input': StoredProposalInput
    'assignment_proposals.result': StoredProposal | null
    'leads.qualifiers': Record<string, unknown>
  }
}
