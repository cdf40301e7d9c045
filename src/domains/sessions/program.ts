import { sql } from 'kysely'
import { dayIn } from '../../kernel/time.ts'
import type { WidgetOf } from '../configuration/schema/widgets.ts'
import { sessionKey, type Where } from './at-event.ts'

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
  /** Whoever chooses it must have this product. */
  productCode: string | null
  /** Places that are free; null without a limit. */
  left: number | null
  /** In the order in which they are named; without those who do not come. */
  speakers: { name: string; company: string | null; role: string }[]
}

/** What is on, in the order in which it begins. */
export async function programOf({ db, tenantId, event }: Where): Promise<ProgramSession[]> {
  const { rows } = await sql<ProgramSession>`
    select s.id, s.code, s.title, s.abstract, s.track_code as "trackCode", s.format_code as "formatCode", s.room_code as "roomCode",
      s.starts_at as "startsAt", s.ends_at as "endsAt", s.product_code as "productCode",
      case when i.capacity is not null then greatest(0, i.capacity + i.overage - i.held - i.sold) end as left,
      coalesce((
        select jsonb_agg(jsonb_build_object('name', concat_ws(' ', p.first_name, p.last_name), 'company', p.company, 'role', x.role) order by x.position)
        from session_speakers x join speakers p on p.tenant_id = x.tenant_id and p.event_id = x.event_id and p.id = x.speaker_id
        where x.tenant_id = s.tenant_id and x.event_id = s.event_id and x.session_id = s.id and p.status not in ('declined', 'withdrawn')), '[]') as speakers
    from sessions s join inventory i on i.tenant_id = s.tenant_id and i.event_id = s.event_id and i.key = ${sessionKey('')} || s.id
    where s.tenant_id = ${tenantId} and s.event_id = ${event.id} and s.status = 'scheduled'
    order by s.starts_at, s.ends_at, s.title, s.id`.execute(db)
  return rows
}

/** Of a program, what one list of a form offers. A session that ends after midnight is on the day on which it begins. */
export const offeredBy = (
  { tracks, formats, days }: Pick<WidgetOf<'sessions'>, 'tracks' | 'formats' | 'days'>,
  program: readonly ProgramSession[],
  timezone: string,
): ProgramSession[] =>
  program.filter(
    ({ trackCode, formatCode, startsAt }) =>
      (tracks.length === 0 || tracks.includes(trackCode)) &&
      (formats.length === 0 || formats.includes(formatCode)) &&
      (days.length === 0 || days.includes(dayIn(timezone, startsAt))),
  )
