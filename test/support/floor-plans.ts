import { newId } from '../../src/kernel/ids.ts'
import type { StoredGeneratedLayout } from '../../src/domains/exhibitors/floor/plan-shapes.ts'
import type { RecognizedPlanObject, FloorPlanScanScale } from '../../src/domains/exhibitors/floor/plan-shapes.ts'
import type { EventHandle, World } from './world.ts'

const FOOT = 3048

/** Layout A of the specification in feet: three double rows of eight columns, numbered by aisle. */
export const LAYOUT_A = [10, 40, 70].flatMap((y, band) =>
  [0, 1].flatMap((row) =>
    Array.from({ length: 8 }, (_, column) => ({
      number: String(100 * (band + row + 1) + 2 * column + (row === 0 ? 2 : 1)),
      x: 10 + 10 * column,
      y: y + 10 * row,
    })),
  ),
)

const square = (x: number, y: number) =>
  [
    [x, y],
    [x + 10, y],
    [x + 10, y + 10],
    [x, y + 10],
  ].map(([px, py]): [number, number] => [px! * FOOT, py! * FOOT])

export function createFloorPlanFixtures(world: World, { tenantId, eventId }: EventHandle) {
  const insert = async (
    table: 'floor_plan_layouts' | 'floor_plan_scans',
    code: string,
    columns: Record<string, unknown>,
  ): Promise<string> => {
    const plan = await world.database.read
      .selectFrom('floor_plans')
      .select(['id', 'revision', 'source_file_id'])
      .where('tenant_id', '=', tenantId)
      .where('event_id', '=', eventId)
      .where('code', '=', code)
      .executeTakeFirstOrThrow()
    const id = newId()
    const own = table === 'floor_plan_layouts' ? { plan_revision: plan.revision } : { file_id: plan.source_file_id ?? newId() }
    await world.database.write
      .insertInto(table)
      .values({ tenant_id: tenantId, event_id: eventId, id, floor_plan_id: plan.id, ...own, ...columns } as never)
      .execute()
    return id
  }
  return {
    /** Stores a layout as generate_max_fit does, by default layout A of the specification. */
    layout: (
      code: string,
      booths: StoredGeneratedLayout['booths'] = LAYOUT_A.map(({ number, x, y }) => ({ number, polygon: square(x, y) })),
    ) => insert('floor_plan_layouts', code, { input: '{}', result: JSON.stringify({ booths }) }),
    /** Stores the findings of a finished scan of a floor drawing, as the scan job does. */
    scan: (code: string, findings: readonly Omit<RecognizedPlanObject, 'applied' | 'evidence'>[], scale: FloorPlanScanScale) =>
      insert('floor_plan_scans', code, {
        sha256: '0',
        status: 'done',
        findings: JSON.stringify(findings.map((finding) => ({ ...finding, evidence: [], applied: false }))),
        scale: JSON.stringify(scale),
      }),
  }
}
