import { sql } from 'kysely'
import { toDayInZone } from '../../kernel/time.ts'
import type { WidgetOfType } from '../configuration/schema/widgets.ts'
import { toSessionInventoryKey, type SessionQueryContext } from './context.ts'

export interface ProgramSession {
  id: string
  code: string
  title: string
  abstract: string | null
  trackCode: string
  formatCode: string
  roomCode: string | null
  startsAt: Date
  endsAt: Date
  /** The product that a participant must have to choose this session; null if none is required. */
  productCode: string | null
  /** The number of free seats; null if unlimited. A session with its own ticket product has at most the stock of the product. */
  left: number | null
  /** The speakers in their order on the session, without speakers who declined or withdrew. */
  speakers: { name: string; jobTitle: string | null; company: string | null; role: string }[]
  isCancelled: boolean
}

/** SQL condition that no other session requires the product of the session `s`, so the product is a ticket for this session. */
const isOnlySession = sql<boolean>`not exists (
  select from sessions o where o.tenant_id = s.tenant_id and o.event_id = s.event_id and o.product_code = s.product_code and o.id <> s.id
    and o.status = 'scheduled')`

/** Lists the sessions with their own ticket product, by product code. */
export async function listSessionsByTicketProduct({ db, tenantId, event }: SessionQueryContext): Promise<Map<string, string>> {
  const { rows } = await sql<{ productCode: string; id: string }>`
    select s.product_code as "productCode", s.id from sessions s
    where s.tenant_id = ${tenantId} and s.event_id = ${event.id} and s.status = 'scheduled' and s.product_code is not null
      and ${isOnlySession}`.execute(db)
  return new Map(rows.map(({ productCode, id }) => [productCode, id]))
}

/** Lists the sessions that come with these products: a product that only one session requires is a ticket for that session. */
export function listSessionsIncludedInProducts(program: readonly ProgramSession[], products: ReadonlySet<string>): string[] {
  const byProduct = Map.groupBy(program, ({ productCode }) => productCode)
  return [...products].flatMap((code) => {
    const [only, ...others] = byProduct.get(code) ?? []
    return only && others.length === 0 ? [only.id] : []
  })
}

/** Lists scheduled sessions, sorted by start time. */
export const listScheduledSessions = (ctx: SessionQueryContext): Promise<ProgramSession[]> => selectProgram(ctx, ['scheduled'])

/** Lists sessions for the agenda, sorted by start time and including cancelled ones. */
export const listAgendaSessions = (ctx: SessionQueryContext): Promise<ProgramSession[]> => selectProgram(ctx, ['scheduled', 'cancelled'])

async function selectProgram({ db, tenantId, event }: SessionQueryContext, statuses: readonly string[]): Promise<ProgramSession[]> {
  const { rows } = await sql<ProgramSession>`
    select s.id, s.code, s.title, s.abstract, s.track_code as "trackCode", s.format_code as "formatCode", s.room_code as "roomCode",
      s.starts_at as "startsAt", s.ends_at as "endsAt", s.product_code as "productCode", s.status = 'cancelled' as "isCancelled",
      least(case when i.capacity is not null then greatest(0, i.capacity + i.overage - i.held - i.sold) end,
        case when t.capacity is not null then greatest(0, t.capacity + t.overage - t.held - t.sold) end) as left,
      coalesce((
        select jsonb_agg(jsonb_build_object('name', concat_ws(' ', p.first_name, p.last_name), 'jobTitle', p.job_title, 'company', p.company, 'role', x.role) order by x.position)
        from session_speakers x join speakers p on p.tenant_id = x.tenant_id and p.event_id = x.event_id and p.id = x.speaker_id
        where x.tenant_id = s.tenant_id and x.event_id = s.event_id and x.session_id = s.id and p.status not in ('declined', 'withdrawn')), '[]') as speakers
    from sessions s join inventory i on i.tenant_id = s.tenant_id and i.event_id = s.event_id and i.key = ${toSessionInventoryKey('')} || s.id
    left join inventory t on t.tenant_id = s.tenant_id and t.event_id = s.event_id and t.key = ${'product:'} || s.product_code and ${isOnlySession}
    where s.tenant_id = ${tenantId} and s.event_id = ${event.id} and s.status = any(${statuses}) and s.starts_at is not null
    order by s.starts_at, s.ends_at, s.title, s.id`.execute(db)
  return rows
}

/** Filters a programme by the settings of a form widget. A session that runs past midnight belongs to the day on which it starts. */
export const filterProgram = (
  { tracks, formats, days }: Pick<WidgetOfType<'sessions'>, 'tracks' | 'formats' | 'days'>,
  program: readonly ProgramSession[],
  timezone: string,
): ProgramSession[] =>
  program.filter(
    ({ trackCode, formatCode, startsAt }) =>
      (tracks.length === 0 || tracks.includes(trackCode)) &&
      (formats.length === 0 || formats.includes(formatCode)) &&
      (days.length === 0 || days.includes(toDayInZone(timezone, startsAt))),
  )
