import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import { holdPlaces, releaseHolds } from '../inventory/places.ts'
import type { AtEvent } from '../registration/scene.ts'
import { waitsFor } from '../registration/waitlist.ts'
import { keepProgress, type Progress } from './progress.ts'
import { type Quote, quoteOf } from './quote.ts'

export interface Held {
  progress: Progress
  quote: Quote
  /** What was to be held and is full, with nobody to have said that they would wait for it. */
  full: string | null
}

/**
 * Holds for 15 minutes what was chosen. Whoever finds the event or their flow full waits where there is a waiting list; of a product they
 * have to say so themselves.
 */
export async function holdChosen(ctx: AtEvent, progress: Progress, until: Date | null = null): Promise<Held> {
  const { scene, flow, row } = progress
  const quote = quoteOf(progress)
  if (scene.isTest) return { progress, quote, full: null }
  if (quote.chosen.length === 0 || quote.places.length === 0) {
    await releaseHolds(ctx, { participantId: row.id })
    return { progress, quote, full: null }
  }
  const full = await holdPlaces(ctx, { participantId: row.id }, quote.places, until === null ? {} : { until })
  const waits = full === null || full.startsWith('product:') ? null : waitsFor(scene.config, flow, full)
  if (full === null || waits === null) return { progress, quote, full }
  const waiting = { ...progress, kept: { ...progress.kept, waits: [...progress.kept.waits, full] } }
  await keepProgress(ctx, row, { waits: waiting.kept.waits })
  return holdChosen(ctx, waiting, until)
}

/** Until when their places are held; null when none are. */
export async function heldUntil({ db, tenantId, event }: AtEvent, participantId: string): Promise<Date | null> {
  const { rows } = await sql<{ until: Date | null }>`
    select min(expires_at) as until from holds where tenant_id = ${tenantId} and event_id = ${event.id} and participant_id = ${participantId}
      and entry_id is null and status = 'active' and (charging or expires_at > lanyard_now())`.execute(db)
  return rows[0]!.until
}

/** Another 15 minutes, once. */
export async function holdLonger(ctx: AtEvent, progress: Progress): Promise<void> {
  if (progress.kept.more_time) return
  await holdChosen(ctx, progress)
  await keepProgress(ctx, progress.row, { more_time: true })
  recordChange(ctx, { kind: 'participant', id: progress.row.id, after: { heldAgain: true } })
}
