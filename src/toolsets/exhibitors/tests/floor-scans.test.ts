import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dxfFile, dxfPolygon, hallDxf, hallSvg, toPng } from '../../../../test/support/floor-drawings.ts'
import { createDrawingFixtures } from '../../../../test/support/stored-drawings.ts'
import { type EventHandle, newWorld, type OrganizerHandle, type World } from '../../../../test/support/world.ts'

let world: World
let home: EventHandle
let olga: OrganizerHandle
let drawings: ReturnType<typeof createDrawingFixtures>

beforeAll(async () => {
  world = await newWorld()
  home = await world.event()
  olga = await world.organizer({ role: 'exhibits', at: home })
  drawings = createDrawingFixtures(world, home)
})
afterAll(() => world.end())

const start = (floorPlanCode: string, more: object = {}) =>
  olga.call('scan_floor_plan_pois', { eventCode: home.eventCode, floorPlanCode, ...more })
const read = (scanId: string, more: object = {}) => olga.call('get_floor_plan_scan', { eventCode: home.eventCode, scanId, ...more })

async function scan(content: string | Buffer, name?: string, more: object = {}, options?: { units?: 'm' | 'ft' }) {
  const { scanId, jobId } = await start(await drawings.plan(content, name, options), more)
  await drawings.run(jobId)
  return read(scanId)
}

const confidences = ({ findings }: any, wanted: string) =>
  findings.filter(({ kind }: any) => kind === wanted).map(({ confidence }: any) => confidence)

describe('scan_floor_plan_pois', () => {
  it('finds nine pillars, the restroom and two doors in an SVG with layers', async () => {
    const found = await scan(hallSvg())
    expect(found).toMatchObject({
      status: 'done',
      progress: { done: 100, total: 100 },
      counts: { pillar: 9, restroom: 1, entrance: 2, outline: 1 },
      warnings: [],
    })
    expect(found.scale).toEqual({ method: 'units', unitsPerSourceUnit: 0.001, confidence: 0.9 })
    expect(confidences(found, 'pillar')).toEqual(Array(9).fill(0.95))
    expect(confidences(found, 'restroom')).toEqual([0.85])
    expect(found.findings.filter(({ kind }: any) => kind === 'entrance')).toMatchObject([
      { point: [28, 8.5], doorWidth: 1, evidence: ['door'], confidence: 0.6 },
      { point: [9.5, 18], doorWidth: 1, evidence: ['door'], confidence: 0.6 },
    ])
    expect(found.findings.find(({ kind }: any) => kind === 'outline')).toMatchObject({ point: [14, 9], size: [28, 18] })
  })

  it('finds the same pillars, restroom and doors if the drawing is a DXF file', async () => {
    const found = await scan(hallDxf(), 'hall.dxf')
    expect(found).toMatchObject({
      status: 'done',
      counts: { pillar: 9, restroom: 1, entrance: 2, outline: 1 },
      scale: { method: 'units', unitsPerSourceUnit: 0.001 },
    })
    expect(confidences(found, 'pillar')).toEqual(Array(9).fill(0.95))
  })

  it('finds the restroom and the doors if the drawing is a picture of 200 dpi', async () => {
    const found = await scan(toPng(hallSvg()), 'hall.png')
    expect(found).toMatchObject({ status: 'done', counts: { restroom: 1, entrance: 2, outline: 1, pillar: 9 }, warnings: ['no_scale'] })
    expect(found.findings.filter(({ kind }: any) => kind === 'restroom')).toMatchObject([{ label: 'WC', confidence: 0.85 }])
  }, 120_000)

  it('returns the earlier finished scan for the same file and options instead of a new one', async () => {
    const floorPlanCode = await drawings.plan(hallSvg())
    const first = await start(floorPlanCode, { kinds: ['restroom', 'pillar'] })
    expect(first).toMatchObject({ status: 'queued' })
    const refused = await olga.refused('scan_floor_plan_pois', { eventCode: home.eventCode, floorPlanCode, kinds: ['pillar'] })
    expect(refused).toMatchObject({ code: 'conflict', fix: { tool: 'get_floor_plan_scan', arguments: { scanId: first.scanId } } })
    expect(refused.message).toContain(first.scanId)
    await drawings.run(first.jobId)
    expect((await read(first.scanId)).counts).toEqual({ pillar: 9, restroom: 1 })
    expect(await start(floorPlanCode, { kinds: ['pillar', 'restroom'] })).toEqual({ ...first, status: 'done', reused: true })
    const other = await start(floorPlanCode, { kinds: ['pillar'] })
    expect(other).toMatchObject({ status: 'queued' })
    expect(other.scanId).not.toBe(first.scanId)
  })

  it('starts one scan of a floor plan for two concurrent calls', async () => {
    const floorPlanCode = await drawings.plan(hallSvg())
    const answers = await Promise.all(
      [1, 2, 3].map(() => olga.answer('scan_floor_plan_pois', { eventCode: home.eventCode, floorPlanCode })),
    )
    expect(answers.filter(({ isError }) => !isError)).toHaveLength(1)
  })

  it('refuses to scan an unknown plan, a plan without source, too large pictures, or without a vision model', async () => {
    const refusal = async (args: object) => olga.refused('scan_floor_plan_pois', { eventCode: home.eventCode, ...args })
    const floorPlanCode = await drawings.plan(hallSvg())
    await world.database.pool.query(`update floor_plans set source_file_id = null where code = $1`, [floorPlanCode])
    expect(await refusal({ floorPlanCode })).toMatchObject({ code: 'precondition_failed' })
    expect(await refusal({ floorPlanCode: 'elsewhere' })).toMatchObject({ code: 'not_found' })
    expect(await refusal({ floorPlanCode, useModel: true })).toMatchObject({ code: 'unavailable', message: 'Set LANYARD_AI_URL' })
    expect(await refusal({ floorPlanCode, languages: ['no such language'] })).toMatchObject({ code: 'invalid_arguments' })
    const header = Buffer.from('89504e470d0a1a0a0000000d49484452000027100000232808000000000000000000', 'hex')
    const fileId = await drawings.file(header, 'large.png')
    expect(await refusal({ floorPlanCode, fileId })).toMatchObject({ code: 'limit_exceeded' })
  })

  it('ends a scan of a damaged file with a reason, after which the plan can be scanned again', async () => {
    const floorPlanCode = await drawings.plan(hallSvg().slice(0, 900))
    const { scanId, jobId } = await start(floorPlanCode)
    await drawings.run(jobId)
    const failed = await read(scanId)
    expect(failed).toMatchObject({
      status: 'failed',
      findings: [],
      error: 'invalid_arguments: The file is not well-formed SVG. Save it again as plain SVG',
    })
    const fileId = await drawings.file(hallSvg(), 'repaired.svg')
    expect(await start(floorPlanCode, { fileId })).toMatchObject({ status: 'queued' })
  })

  it('marks a scan whose job was stopped as failed when the next scan starts', async () => {
    const floorPlanCode = await drawings.plan(hallSvg())
    const { scanId, jobId } = await start(floorPlanCode)
    await world.database.pool.query(`update jobs set status = 'failed' where id = $1`, [jobId])
    expect(await start(floorPlanCode)).toMatchObject({ status: 'queued' })
    expect(await read(scanId)).toMatchObject({ status: 'failed' })
  })

  it('scans one file at a time per process, and returns the next scan to the queue', async () => {
    const scans = [await start(await drawings.plan(hallSvg())), await start(await drawings.plan(hallSvg()))]
    await Promise.all(scans.map(({ jobId }) => drawings.run(jobId)))
    const states = async () => (await Promise.all(scans.map(({ scanId }) => read(scanId)))).map(({ status }) => status as string).toSorted()
    expect(await states()).toEqual(['done', 'queued'])
    for (const { jobId } of scans) await drawings.run(jobId)
    expect(await states()).toEqual(['done', 'done'])
  })

  it('scans only the named layers of a layered drawing', async () => {
    const found = await scan(hallSvg(), 'hall.svg', { layers: ['columns'] })
    expect(found.counts).toEqual({ pillar: 9 })
  })
})

describe('get_floor_plan_scan', () => {
  it('reads a hall of 30 by 20 metres from a drawing in millimetres', async () => {
    const outline = dxfFile(
      4,
      dxfPolygon('0', [
        [5000, 5000],
        [35000, 5000],
        [35000, 25000],
        [5000, 25000],
      ]),
    )
    const found = await scan(outline, 'hall.dxf')
    expect(found.scale).toMatchObject({ method: 'units', unitsPerSourceUnit: 0.001 })
    expect(found.findings).toMatchObject([{ kind: 'outline', point: [15, 10], size: [30, 20], confidence: 0.8 }])
    const inFeet = await scan(outline, 'hall.dxf', {}, { units: 'ft' })
    expect(inFeet.findings[0].size).toEqual([98.4252, 65.6168])
  })

  it('sets outline, gross area and scale of a floor plan when the findings of a scan are applied', async () => {
    const hall = (width: number, depth: number) =>
      dxfPolygon('0', [
        [5000, 5000],
        [5000 + width, 5000],
        [5000 + width, 5000 + depth],
        [5000, 5000 + depth],
      ])
    const apply = async (code: string, units: string, content: string) => {
      const manage = (action: string, more: object) => olga.call('manage_floor_plans', { eventCode: home.eventCode, action, ...more })
      const { scanId, jobId } = await manage('create', { code, name: code, units, fileId: await drawings.file(content, 'hall.dxf') })
      await drawings.run(jobId)
      expect(await manage('apply_scan', { scanId, minConfidence: 0.5 })).toMatchObject({ skipped: [] })
      return manage('get', { floorPlanCode: code, include: ['outline'] })
    }
    const metric = await apply('metric', 'm', dxfFile(4, hall(30_000, 20_000)))
    expect(metric).toMatchObject({
      floorPlan: {
        gross: 600,
        outline: {
          outer: [
            [0, 0],
            [30, 0],
            [30, 20],
            [0, 20],
          ],
        },
        scale: { method: 'units' },
      },
    })
    // A square hall of 30.48 metres is 100 by 100 feet, as in the first story of the specification.
    expect(await apply('imperial', 'ft', dxfFile(4, hall(30_480, 30_480)))).toMatchObject({ floorPlan: { gross: 10_000 } })
    expect(await apply('furnished', 'm', hallDxf())).toMatchObject({ floorPlan: { gross: 504 } })
  })

  it('sorts the findings of a floor plan scan by kind, confidence and position, filters and draws them', async () => {
    const { scanId, jobId } = await start(await drawings.plan(hallSvg()))
    expect(await read(scanId)).toMatchObject({ status: 'queued', progress: { done: 0, total: 100 }, findings: [] })
    await drawings.run(jobId)
    const { findings } = await read(scanId)
    expect(findings.map(({ kind }: any) => kind)).toEqual(['entrance', 'entrance', 'outline', ...Array(9).fill('pillar'), 'restroom'])
    expect((await read(scanId, { kind: 'pillar' })).counts).toEqual({ pillar: 9 })
    expect((await read(scanId, { minConfidence: 0.8 })).counts).toEqual({ outline: 1, pillar: 9, restroom: 1 })
    const answer = await olga.answer('get_floor_plan_scan', { eventCode: home.eventCode, scanId })
    expect(answer.content.map(({ type }) => type)).toEqual(['text', 'image'])
    const page = await read(scanId, { limit: 5 })
    expect(page).toMatchObject({ total: 13, findings: findings.slice(0, 5) })
    expect((await read(scanId, { limit: 5, cursor: page.nextCursor })).findings).toEqual(findings.slice(5, 10))
  })

  it('uses the calibration of the plan instead of the scale of the drawing', async () => {
    const floorPlanCode = await drawings.plan(hallSvg({ width: '' }))
    const { scanId, jobId } = await start(floorPlanCode)
    await drawings.run(jobId)
    expect(await read(scanId)).toMatchObject({
      scale: { method: 'none', unitsPerSourceUnit: null },
      warnings: ['no_scale'],
      counts: { restroom: 1, entrance: 2 },
    })
    await world.database.pool.query(`update floor_plans set source_to_plan = '[20, 0, 0, -20, 0, 400000]' where code = $1`, [floorPlanCode])
    expect((await read(scanId, { kind: 'outline' })).findings).toMatchObject([{ size: [56, 36] }])
  })

  it('lets analysts read a scan but not start one, and hides scans of other events', async () => {
    const floorPlanCode = await drawings.plan(hallSvg())
    const { scanId } = await start(floorPlanCode)
    const analyst = await world.organizer({ role: 'analyst', at: home })
    expect(await analyst.call('get_floor_plan_scan', { eventCode: home.eventCode, scanId })).toMatchObject({ status: 'queued' })
    expect(await analyst.refused('scan_floor_plan_pois', { eventCode: home.eventCode, floorPlanCode })).toMatchObject({
      message: 'Forbidden — scan_floor_plan_pois requires the exhibitors.write permission',
    })
    const other = await world.event({ at: home })
    expect(await olga.refused('get_floor_plan_scan', { eventCode: other.eventCode, scanId })).toMatchObject({ code: 'not_found' })
  })
})
