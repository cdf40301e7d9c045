import type { AtEvent } from '../registration/scene.ts'
import { type Device, enterPage, leavePage, openVisit, skipPage } from '../registration/visits.ts'
import { keepProgress, type Progress, progressOf } from './progress.ts'

/** Somebody came to their form: the visit is remembered with their registration, so that it is the same one on every page. */
export async function beginVisit(
  ctx: AtEvent,
  participantId: string,
  { device, utm }: { device: Device; utm: Record<string, string> },
): Promise<void> {
  const { row, flow, scene, kept, pages } = await progressOf(ctx, participantId)
  const first = pages[0]
  if (!first) return
  const visitId = await openVisit(ctx, {
    flowSlug: flow.slug,
    versionId: scene.versionId,
    page: first.code,
    device,
    utm,
    participantId,
    visitId: kept.visit_id,
    isTestData: row.is_test_data,
  })
  if (visitId !== kept.visit_id) await keepProgress(ctx, row, { visit_id: visitId })
}

/** A page was sent off: with what was wrong on it, or on to the next one. */
export async function noteStep(
  ctx: AtEvent,
  { kept, walk }: Progress,
  page: string,
  step: { errors: readonly string[] } | { next: string | null },
): Promise<void> {
  if (kept.visit_id === null) return
  await leavePage(ctx, kept.visit_id, page, 'errors' in step ? step.errors : [])
  if ('errors' in step) return
  const from = walk.pages.findIndex(({ code }) => code === page)
  for (const { code, visible } of walk.pages.slice(from + 1)) {
    if (visible) break
    await skipPage(ctx, kept.visit_id, code)
  }
  if (step.next !== null) await enterPage(ctx, kept.visit_id, step.next)
}
