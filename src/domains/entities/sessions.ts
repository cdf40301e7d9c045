import { buildColumnProperty, type RestEntity, buildInstantProperty } from './entity.ts'
import {
  recordIdSchema,
  instantSchema,
  integerSchema,
  arraySchema,
  nullableSchema,
  objectSchema,
  enumSchema,
  stringSchema,
} from './schemas.ts'
import { SESSION_STATES } from '../sessions/states.ts'

export const sessionEntity: RestEntity = {
  path: 'sessions',
  name: 'session',
  about: "A session of an event's programme.",
  table: 'sessions',
  at: 'event',
  hasTestData: false,
  fields: [
    buildColumnProperty('code', stringSchema()),
    buildColumnProperty('title', stringSchema()),
    buildColumnProperty('abstract', nullableSchema(stringSchema())),
    buildColumnProperty('trackCode', stringSchema()),
    buildColumnProperty('formatCode', stringSchema()),
    buildColumnProperty('roomCode', nullableSchema(stringSchema())),
    buildInstantProperty('startsAt', nullableSchema(instantSchema())),
    buildInstantProperty('endsAt', nullableSchema(instantSchema())),
    buildColumnProperty('capacity', nullableSchema(integerSchema(0))),
    {
      name: 'enrolled',
      schema: integerSchema(0),
      sql: `coalesce((select i.sold from inventory i where i.tenant_id = r.tenant_id and i.event_id = r.event_id and i.key = 'session:' || r.id), 0)`,
    },
    {
      name: 'speakers',
      schema: arraySchema(
        objectSchema({
          id: recordIdSchema(),
          name: stringSchema(),
          role: enumSchema(['speaker', 'moderator', 'panelist', 'presenter', 'author']),
        }),
      ),
      sql: `coalesce((select json_agg(json_build_object('id', p.id, 'name', p.first_name || ' ' || p.last_name, 'role', s.role) order by s.position)
        from session_speakers s join speakers p on p.tenant_id = s.tenant_id and p.event_id = s.event_id and p.id = s.speaker_id
        where s.tenant_id = r.tenant_id and s.event_id = r.event_id and s.session_id = r.id), '[]')`,
    },
    buildColumnProperty('status', enumSchema(SESSION_STATES.all)),
  ],
  filters: [],
}
