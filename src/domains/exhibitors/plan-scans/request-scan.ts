import { buffer } from 'node:stream/consumers'
import type { EventContext } from '../../../kernel/context.ts'
import { AppError, invalidArguments, notFound } from '../../../kernel/errors.ts'
import type { PrefetchContext } from '../../../kernel/tool.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import { getFile, openFile } from '../../files/files.ts'
import { findPictureSize } from './picture-size.ts'
import { createFileLimitError, MAX_MEGAPIXELS } from './source-drawing.ts'
import { findFloorPlanFileKind } from './source-kinds.ts'
import { type FloorPlanScanOptions, startFloorPlanScan, type StartedScan } from './start-scan.ts'

type ScanInput = FloorPlanScanOptions & { floorPlanCode: string }

/** Number of bytes at the start of a picture that are read to find its size. */
const HEAD_BYTES = 512 * 1024

/** Checks a scan request before the transaction: rejects a model that is not configured, and pictures that are too large. */
export async function checkFloorPlanScanRequest(
  ctx: PrefetchContext<EventContext>,
  { floorPlanCode, fileId, useModel, languages }: ScanInput,
): Promise<undefined> {
  if (useModel && !ctx.model) throw new AppError('unavailable', 'Set LANYARD_AI_URL')
  checkLanguages(languages)
  const source = fileId ?? (await getPlan(ctx, floorPlanCode)).source_file_id
  const file = source === null ? null : await getFile(ctx, { fileId: source, eventId: ctx.event.id, purpose: 'floorPlan' })
  if (!file || findFloorPlanFileKind(file.mime) !== 'image') return
  const head = await buffer(await openFile(ctx.files, file, { start: 0, end: Math.min(file.size, HEAD_BYTES) - 1 }))
  const size = findPictureSize(head)
  if (size && size.width * size.height > MAX_MEGAPIXELS * 1e6)
    throw createFileLimitError(
      `A picture of a floor plan has at most ${MAX_MEGAPIXELS} megapixels, and this one has ${Math.round((size.width * size.height) / 1e6)}`,
    )
}

function checkLanguages(languages: readonly string[] | undefined): void {
  const unknown = languages?.findIndex((tag) => !isLanguage(tag)) ?? -1
  if (unknown >= 0) throw invalidArguments([{ path: `languages/${unknown}`, message: 'is not a language tag such as en or de-AT' }])
}

function isLanguage(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1
  } catch {
    return false
  }
}

export const scanFloorPlan = async (ctx: EventContext, { floorPlanCode, ...choice }: ScanInput): Promise<StartedScan> =>
  startFloorPlanScan(ctx, await getPlan(ctx, floorPlanCode), choice)

async function getPlan(ctx: Pick<EventContext, 'tenantId' | 'db' | 'event'>, code: string) {
  const plan = await eventDb(ctx)
    .selectFrom('floor_plans')
    .select(['id', 'code', 'source_file_id'])
    .where('code', '=', code)
    .executeTakeFirst()
  if (!plan) throw notFound(`No floor plan ${code} at this event`)
  return plan
}
