import { column, type Entity, instantColumn } from './entity.ts'
import { id, instant, integer, list, maybe, object, oneOf, text } from './schemas.ts'
import { SESSION_STATES } from '../sessions/states.ts'

export const sessions: Entity = {
  path: 'sessions',
  name: 'session',
  about: "A session of an event's programme.",
  table: 'sessions',
  at: 'event',
  hasTestData: false,
  fields: [
    column('code', text()),
    column('title', text()),
    column('abstract', maybe(text())),
    column('trackCode', text()),
    column('formatCode', text()),
    column('roomCode', maybe(text())),
    instantColumn('startsAt', maybe(instant())),
    instantColumn('endsAt', maybe(instant())),
    column('capacity', maybe(integer(0))),
    {
      name: 'enrolled',
      schema: integer(0),
      sql: `coalesce((select i.sold from inventory i where i.tenant_id = r.tenant_id and i.event_id = r.event_id and i.key = 'session:' || r.id), 0)`,
    },
    {
      name: 'speakers',
      schema: list(object({ id: id(), name: text(), role: oneOf(['speaker', 'moderator', 'panelist', 'presenter', 'author']) })),
      sql: `coalesce((select json_agg(json_build_object('id', p.id, 'name', p.first_name || ' ' || p.last_name, 'role', s.role) order by s.position)
        from session_speakers s join speakers p on p.tenant_id = s.tenant_id and p.event_id = s.event_id and p.id = s.speaker_id
        where s.tenant_id = r.tenant_id and s.event_id = r.event_id and s.session_id = r.id), '[]')`,
    },
    column('status', oneOf(SESSION_STATES.all)),
  ],
  filters: [],
}
