import { type EventHandle, newWorld, RESOURCE, type World } from '../test/support/world.ts'

export interface BenchWorld {
  url: string
  tokens: string[]
  resource: string
  eventCode: string
  noteId: string
  userId: string
  end: () => Promise<void>
}

/** A new database on that server with one event, one note and enough organizers that none reaches the rate limit. */
export async function createBenchWorld(server: string, organizers: number): Promise<BenchWorld> {
  process.env['TEST_DATABASE_URL'] = server
  const world = await newWorld()
  const event = await world.event({ code: 'summit', at: await world.client({ code: 'acme' }) })
  const olga = await world.organizer({ at: event })
  const { note } = await olga.call('fixture_add_note', { eventCode: 'summit', text: 'Order chairs for the workshop on Tuesday' })
  const tokens = await connectOrganizers(world, event, organizers)
  await world.database.pool.query('vacuum analyze')
  return {
    url: world.url!,
    tokens,
    resource: RESOURCE,
    eventCode: event.eventCode,
    noteId: note.id as string,
    userId: olga.userId,
    end: () => world.end(),
  }
}

/** Adds administrators of the event's client, each with a connected app. Returns their tokens. */
export async function connectOrganizers({ database }: World, { tenantId, clientId }: EventHandle, count: number): Promise<string[]> {
  const tokens = Array.from({ length: count }, (_, i) => `lat_bench_${String(i + 1).padStart(34, '0')}`)
  await database.pool.query(MEMBERS, [count, tenantId, clientId])
  await database.pool.query(CONNECTED, [tokens, RESOURCE])
  return tokens
}

const MEMBERS = `
with made as (
  insert into users (id, tenant_id, email, name)
  select lpad(to_hex(n), 24, '0'), $2, 'bench-' || n || '@example.org', 'Olga Organizer' from generate_series(1, $1::int) n
  returning id, tenant_id
)
insert into memberships (tenant_id, user_id, client_id, role) select tenant_id, id, $3, 'admin' from made`

const CONNECTED = `
with token as (
  select token, lpad(to_hex(n), 24, '0') as id from unnest($1::text[]) with ordinality as t (token, n)
), app as (
  insert into oauth_clients (id, name) values ('app-bench', 'Bench') returning id
), granted as (
  insert into oauth_grants (id, tenant_id, user_id, client_id, resource, access_version)
  select u.id, u.tenant_id, u.id, app.id, $2, u.access_version from token join users u on u.id = token.id cross join app
  returning id
)
insert into oauth_tokens (hash, kind, grant_id, expires_at)
select sha256(convert_to(token, 'UTF8')), 'access', id, lanyard_now() + interval '1 hour' from token join granted using (id)`
