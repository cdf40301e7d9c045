import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { EventContext } from '../../../kernel/context.ts'
import { AppError, invalidArguments, notFound } from '../../../kernel/errors.ts'
import { newId } from '../../../kernel/ids.ts'
import type { PrefetchContext } from '../../../kernel/tool.ts'
import { detectContentType, INSPECTED_LEADING_BYTES } from '../../files/content-type.ts'
import { createFile, getFile, openFile } from '../../files/files.ts'
import { type StoredUpload, storeUpload } from '../../files/upload.ts'
import { insertFloorPlan } from '../floor/floor-plans.ts'
import { findFloorPlanFileKind } from '../plan-scans/source-kinds.ts'
import { startFloorPlanScan } from '../plan-scans/start-scan.ts'
import { type NewDrawnFloorPlan, resolvePlanOutline } from './edit-plan.ts'
import { describeFloorPlan } from './plan-results.ts'

interface GivenSource {
  fileId?: string | undefined
  url?: string | undefined
  svg?: string | undefined
}

/** Uploaded bytes of a floor plan that are not a file of the library yet. */
export type PlanSourceUpload = StoredUpload

const MAX_BYTES = 25 * 1024 * 1024

/** Stores the source file of a new plan, before the database transaction starts. Null if the plan is drawn by hand. */
export async function storePlanSourceFile(ctx: PrefetchContext<EventContext>, source: GivenSource): Promise<PlanSourceUpload | null> {
  const given = (['fileId', 'url', 'svg'] as const).filter((name) => source[name] !== undefined)
  if (given.length === 0) return null
  if (given.length > 1) throw invalidArguments([{ path: given[1]!, message: 'pass one source: fileId, url or svg' }])
  const path = given[0]!
  const { name, bytes } = await readSource(ctx, source)
  await refuseUnreadable(path, name, bytes)
  return storeUpload(ctx, {
    tenantId: ctx.tenantId,
    purpose: 'floorPlan',
    name,
    content: Readable.from([bytes], { objectMode: false }),
    maxBytes: MAX_BYTES,
  })
}

async function readSource(ctx: PrefetchContext<EventContext>, { fileId, url, svg }: GivenSource): Promise<{ name: string; bytes: Buffer }> {
  if (svg !== undefined) return { name: 'plan.svg', bytes: Buffer.from(svg) }
  if (url !== undefined) {
    const { status, body } = await ctx.fetcher.fetch(url)
    if (status >= 500) throw new AppError('unavailable', `The address responded with status ${status}`)
    if (status !== 200) throw invalidArguments([{ path: 'url', message: `the address responded with status ${status}` }])
    return { name: new URL(url).pathname.split('/').at(-1) || 'plan', bytes: body }
  }
  const file = await getFile(ctx, { fileId: fileId!, clientId: ctx.client.id })
  if (file.eventId !== null && file.eventId !== ctx.event.id) throw notFound(`No file ${fileId}`)
  if (file.size > MAX_BYTES) throw new AppError('limit_exceeded', 'A floor plan file has at most 25 MB')
  return { name: file.name, bytes: await buffer(await openFile(ctx.files, file)) }
}

const BINARY_DXF = 'AutoCAD Binary DXF'

/** Throws if a file is not a readable floor plan. The content decides, because names and declared types are often wrong. */
async function refuseUnreadable(path: string, name: string, bytes: Buffer): Promise<void> {
  const type = await detectContentType(bytes.subarray(0, INSPECTED_LEADING_BYTES), name)
  if (findFloorPlanFileKind(type)) return
  const isDwg = type === 'image/vnd.dwg' || /^AC(1\.|10)\d\d/.test(bytes.subarray(0, 6).toString('latin1'))
  const isBinary = bytes.subarray(0, BINARY_DXF.length).toString('latin1') === BINARY_DXF
  throw invalidArguments([
    {
      path,
      message:
        isDwg || isBinary
          ? `${isDwg ? 'DWG' : 'binary DXF'} files cannot be read. Save it as DXF (ASCII)`
          : `the file is ${type} by its content. Floor plans are SVG, DXF (ASCII), PDF, PNG or JPEG`,
    },
  ])
}

/** Creates a plan from a source file and starts a scan of the file. Until a scan is applied, the plan has the given outline, or none. */
export async function createPlanFromFile(ctx: EventContext, plan: NewDrawnFloorPlan, source: PlanSourceUpload) {
  const id = newId()
  const outline = resolvePlanOutline(plan)
  const file = await createFile(ctx, source, { clientId: ctx.client.id, eventId: ctx.event.id, owner: { kind: 'floorPlan', id } })
  const row = await insertFloorPlan(ctx, {
    id,
    code: plan.code,
    name: plan.name,
    units: plan.units,
    outline: outline ?? { outer: [], holes: [] },
    source: findFloorPlanFileKind(file.mime)!,
    sourceFileId: file.id,
    scale: { method: outline ? 'outline' : 'none', unitsPerSourceUnit: null },
  })
  const { scanId, jobId } = await startFloorPlanScan(ctx, row)
  return { ...(await describeFloorPlan(ctx, row, ['source'])), scanId, jobId }
}
