import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import type { FieldError } from '../../kernel/errors.ts'
import { chosenRoom } from '../housing/chosen-room.ts'
import { holdPlaces, releaseHolds } from '../inventory/places.ts'
import type { AtEvent } from '../registration/scene.ts'
import { waitsFor } from '../registration/waitlist.ts'
import { keepProgress, type Progress } from './progress.ts'
import { type Quote, quoteOf } from './quote.ts'
import { holdRoom } from './room.ts'

export interface Held {
  progress: Progress
  quote: Quote
  /** What was to be held and is full, with nobody to have said that they would wait for it. */
  full: string | null
  /** Why the room that they chose cannot be held. */
  roomFaults: readonly FieldError[]
}

/**
 * Holds for 15 minutes what was chosen: places, then the room. Whoever finds the event or their flow full waits where there is a waiting list;
 * of a product or a room they have to say so themselves.
 */
export async function holdChosen(ctx: AtEvent, begun: Progress, until: Date | null = null): Promise<Held> {
  const { progress, full } = begun.scene.isTest ? { progress: begun, full: null } : await holdPlacesOf(ctx, begun, until)
  if (full !== null) return { progress, quote: quoteOf(progress), full, roomFaults: [] }
  const roomFaults = await holdRoom(ctx, progress, until)
  const { scene, row, answers } = progress
  const withRoom = { ...progress, room: await chosenRoom(ctx, scene, row.id, answers) }
  return { progress: withRoom, quote: quoteOf(withRoom), full, roomFaults }
}

async function holdPlacesOf(ctx: AtEvent, progress: Progress, until: Date | null): Promise<Pick<Held, 'progress' | 'full'>> {
  const { scene, flow, row } = progress
  const quote = quoteOf(progress)
  if (quote.chosen.length === 0 || quote.places.length === 0) {
    await releaseHolds(ctx, { participantId: row.id })
    return { progress, full: null }
  }
  const full = await holdPlaces(ctx, { participantId: row.id }, quote.places, until === null ? {} : { until })
  const waits = full === null || full.startsWith('product:') ? null : waitsFor(scene.config, flow, full)
  if (full === null || waits === null) return { progress, full }
  const waiting = { ...progress, kept: { ...progress.kept, waits: [...progress.kept.waits, full] } }
  await keepProgress(ctx, row, { waits: waiting.kept.waits })
  return holdPlacesOf(ctx, waiting, until)
}

/** Until when what they chose is held, places and room; null when nothing is. */
export async function heldUntil({ db, tenantId, event }: AtEvent, participantId: string): Promise<Date | null> {
  const { rows } = await sql<{ until: Date | null }>`
    select min(until) as until from (
      select expires_at as until from holds where tenant_id = ${tenantId} and event_id = ${event.id} and participant_id = ${participantId}
        and entry_id is null and status = 'active' and (charging or expires_at > lanyard_now())
      union all
      select held_until from reservations where tenant_id = ${tenantId} and event_id = ${event.id} and participant_id = ${participantId}
        and entry_id is null and status = 'held' and (charging or held_until > lanyard_now())) held`.execute(db)
  return rows[0]!.until
}

/** Another 15 minutes, once. */
export async function holdLonger(ctx: AtEvent, progress: Progress): Promise<void> {
  if (progress.kept.more_time) return
  await holdChosen(ctx, progress)
  await keepProgress(ctx, progress.row, { more_time: true })
  recordChange(ctx, { kind: 'participant', id: progress.row.id, after: { heldAgain: true } })
}
