import { type Selectable, sql } from 'kysely'
import { announceToWebhooks } from '../../kernel/announce.ts'
import { recordChange } from '../../kernel/audit.ts'
import type { Tables } from '../../kernel/columns.ts'
import { conflict, invalidArguments, SerializationConflict } from '../../kernel/errors.ts'
import { newId, toSlug } from '../../kernel/ids.ts'
import { createUnknownNameError } from '../../kernel/nearest.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { toWallTimeInZone } from '../../kernel/time.ts'
import { readDraftConfiguration } from '../configuration/read.ts'
import type { EventConfig } from '../configuration/schema/event-config.ts'
import type { SessionContext } from './context.ts'
import type { SpeakerRole } from './tables.ts'

export interface NewSession {
  title: string
  code?: string
  abstract?: string
  trackCode: string
  formatCode: string
  roomCode?: string
  /** The start of the session; a session without a start is a draft. */
  startsAt?: Date
  /** The end of the session; defaults to the start plus the duration of the session format. */
  endsAt?: Date
  capacity?: number
  productCode?: string
  /** The submission that was accepted as this session. */
  submissionId?: string
  speakers?: readonly { speakerId: string; role?: SpeakerRole }[]
}

const MINUTE_MS = 60_000

/** Creates a session. If the room or a speaker is busy, the error names the conflicting session. */
export async function createSession(ctx: SessionContext, session: NewSession): Promise<Selectable<Tables['sessions']>> {
  const { config } = await readDraftConfiguration(ctx)
  refuseUnknownCodes(config, session)
  const { startsAt = null, speakers = [] } = session
  const minutes = config.sessions.formats.find(({ code }) => code === session.formatCode)!.minutes
  const endsAt = startsAt && (session.endsAt ?? new Date(startsAt.getTime() + minutes * MINUTE_MS))
  if (startsAt && endsAt! <= startsAt) throw invalidArguments([{ path: 'endsAt', message: 'must be after startsAt' }])
  if (startsAt && endsAt) await requireNoScheduleClash(ctx, { startsAt, endsAt, roomCode: session.roomCode, speakers })
  const row = await ctx.db
    .insertInto('sessions')
    .values({
      tenant_id: ctx.tenantId,
      event_id: ctx.event.id,
      id: newId(),
      code: await chooseCode(ctx, session),
      title: session.title,
      abstract: session.abstract ?? null,
      track_code: session.trackCode,
      format_code: session.formatCode,
      room_code: session.roomCode ?? null,
      starts_at: startsAt,
      ends_at: endsAt,
      capacity: session.capacity ?? null,
      product_code: session.productCode ?? null,
      submission_id: session.submissionId ?? null,
      status: startsAt ? 'scheduled' : 'draft',
    })
    .returningAll()
    .executeTakeFirstOrThrow()
    .catch(rethrowScheduleClash)
  for (const [at, { speakerId, role = 'speaker' }] of speakers.entries()) {
    await ctx.db
      .insertInto('session_speakers')
      .values({ tenant_id: ctx.tenantId, event_id: ctx.event.id, session_id: row.id, speaker_id: speakerId, role, position: at + 1 })
      .execute()
      .catch(rethrowScheduleClash)
  }
  // There is no webhook event for a new session, so it is announced as an update.
  announceToWebhooks(ctx, {
    kind: 'session.updated',
    entity: 'session',
    id: row.id,
    changed: ['code', 'title', 'status', 'speakers'],
    isTestData: false,
  })
  recordChange(ctx, { kind: 'session', id: row.id, after: { ...session } })
  return row
}

/** Returns the given code of the session, or a slug of its title, with a number if the slug is taken. */
async function chooseCode(ctx: SessionContext, { code, title }: NewSession): Promise<string> {
  const wanted = code ?? toSlug(title).slice(0, 58).replace(/-+$/, '')
  const rows = await eventDb(ctx)
    .selectFrom('sessions')
    .select('code')
    .where((eb) => eb.or([eb('code', '=', wanted), eb('code', 'like', `${wanted}-%`)]))
    .execute()
  const taken = new Set(rows.map((row) => row.code))
  if (!taken.has(wanted)) return wanted
  if (code !== undefined) throw conflict(`Another session here has the code ${code}. Choose another code`)
  let number = 2
  while (taken.has(`${wanted}-${number}`)) number++
  return `${wanted}-${number}`
}

function refuseUnknownCodes({ sessions: { tracks, formats, rooms }, products }: EventConfig, session: NewSession): void {
  const named = [
    ['trackCode', session.trackCode, tracks, 'track'],
    ['formatCode', session.formatCode, formats, 'format'],
    ['roomCode', session.roomCode, rooms, 'room'],
    ['productCode', session.productCode, products, 'product'],
  ] as const
  for (const [path, code, known, noun] of named) {
    const codes = known.map((one) => one.code)
    if (code !== undefined && !codes.includes(code)) throw createUnknownNameError(path, code, codes, noun)
  }
}

export interface SessionSchedule {
  startsAt: Date
  endsAt: Date
  roomCode: string | undefined
  speakers: NonNullable<NewSession['speakers']>
  /** The id of the session, if it already exists and is moved. */
  sessionId?: string
}

/**
 * Throws if the room or a speaker of a session is busy. The exclusion constraints prevent such clashes too; this check runs first to return
 * a clear message.
 */
export async function requireNoScheduleClash(
  ctx: SessionContext,
  { startsAt, endsAt, roomCode = '', speakers, sessionId = '' }: SessionSchedule,
): Promise<void> {
  const { rows } = await sql<{ title: string; startsAt: Date; endsAt: Date; speaker: string | null }>`
    select s.title, s.starts_at as "startsAt", s.ends_at as "endsAt", who.name as speaker from sessions s
    left join lateral (
      select concat_ws(' ', p.first_name, p.last_name) as name from session_speakers x
      join speakers p on p.tenant_id = x.tenant_id and p.event_id = x.event_id and p.id = x.speaker_id
      where x.tenant_id = s.tenant_id and x.event_id = s.event_id and x.session_id = s.id
        and x.speaker_id = any(${speakers.map(({ speakerId }) => speakerId)}) order by x.position limit 1) who on true
    where s.tenant_id = ${ctx.tenantId} and s.event_id = ${ctx.event.id} and s.status = 'scheduled' and s.id <> ${sessionId}
      and tstzrange(s.starts_at, s.ends_at) && tstzrange(${startsAt}, ${endsAt}) and (s.room_code = ${roomCode} or who.name is not null)
    order by s.starts_at, s.id limit 1`.execute(ctx.db)
  const [other] = rows
  if (!other) return
  const clock = (at: Date) => toWallTimeInZone(ctx.event.timezone, at).slice(0, 16)
  throw conflict(
    `${other.speaker ?? `The room ${roomCode}`} is taken by ${other.title} from ${clock(other.startsAt)} to ${clock(other.endsAt)}. Choose another time${other.speaker ? '' : ' or room'}`,
  )
}

/** Error codes of exclusion and unique violations by a concurrent transaction. The retry reports the conflicting session. */
const CLASH_ERROR_CODES = new Set(['23P01', '23505'])

export function rethrowScheduleClash(error: unknown): never {
  throw CLASH_ERROR_CODES.has((error as { code?: string }).code ?? '')
    ? new SerializationConflict('the room, a speaker or the code was taken concurrently')
    : error
}
