import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createUser } from '../../src/domains/access/users.ts'
import { requestPasswordReset } from '../../src/domains/sign-in/sign-in.ts'
import { newId } from '../../src/kernel/ids.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { type EventHandle, newWorld, type OrganizerHandle, type ClientHandle, type World } from '../support/world.ts'
import { ConsoleBrowser } from './console-browser.ts'

let world: World
let served: Served
let acme: ClientHandle
let rival: ClientHandle
let summit: EventHandle
type Who = 'olga' | 'rita' | 'both' | 'shared' | 'helper'
let people: Record<Who, OrganizerHandle>

/**
 * One tenant with two clients: an administrator of each, one of both, a member of both, and a member of one who is staff at an event of
 * the other.
 */
beforeAll(async () => {
  world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  acme = await world.client({ code: 'acme', name: 'Acme Events' })
  rival = await world.client({ code: 'rival', name: 'Rival Congresses' })
  summit = await world.event({ code: 'summit', at: acme })
  people = {
    olga: await world.organizer({ at: acme, email: 'olga@acme.example' }),
    rita: await world.organizer({ at: rival, email: 'rita@rival.example' }),
    both: await world.organizer({ at: [acme, rival], email: 'both@example.org' }),
    shared: await world.organizer({ at: [acme, rival], role: 'analyst', email: 'shared@example.org' }),
    helper: await world.organizer({ at: rival, role: 'analyst', staffOf: summit, email: 'helper@rival.example' }),
  }
  served = await serve(world)
})
afterAll(() => world.end())

const as = (who: Who) => new ConsoleBrowser(served).enter(world, people[who])

async function readersOf(path: string, shown: string): Promise<Who[]> {
  const found: Who[] = []
  for (const who of Object.keys(people) as Who[]) if ((await (await as(who)).get(path)).html.includes(shown)) found.push(who)
  return found
}

/** Creates three records without a client: an email to the user, and a change and a job of the user. */
async function createRecords(person: { userId: string; email: string }) {
  await requestPasswordReset({ database: world.database, baseUrl: served.baseUrl }, { ...person, address: '192.0.2.1' })
  const [audit, job] = [newId(), newId()]
  await world.database.pool.query(
    `insert into audit_entries (tenant_id, id, actor_kind, actor_id, actor_name, app_name, tool, targets)
     values ($1, $2, 'organizer', $3, 'Somebody', 'console', 'change_own_name', $4)`,
    [acme.tenantId, audit, person.userId, JSON.stringify([{ kind: 'user', id: audit, fields: {} }])],
  )
  await world.database.pool.query(`insert into jobs (tenant_id, id, name, input, created_by) values ($1, $2, $3, '{}', $4)`, [
    acme.tenantId,
    job,
    `job-${job}`,
    person.userId,
  ])
  const mail = await world.database.write
    .selectFrom('messages')
    .select('id')
    .where('to_address', '=', person.email)
    .executeTakeFirstOrThrow()
  return [
    await readersOf('/console/mailbox', mail.id),
    await readersOf('/console/audit', audit),
    await readersOf('/console/jobs', `Job ${job}`),
  ]
}
const alike = (readers: Who[]) => [readers, readers, readers]

describe('two clients of one tenant', () => {
  it('hides invitations of a client from users of another client', async () => {
    const olga = await as('olga')
    const users = '/console/clients/acme/users'
    const invited = await olga.submit(users, users, { email: 'secret.hire@acme.example', name: 'Secret Hire', role: 'manager', where: '' })
    expect(invited.status).toBe(303)
    expect(await readersOf('/console/mailbox', 'secret.hire@acme.example')).toEqual(['olga', 'both'])
    const { id } = await world.database.write.selectFrom('messages').select('id').executeTakeFirstOrThrow()
    expect((await (await as('rita')).get(`/console/mailbox/${id}`)).status).toBe(404)
    await people.olga.call('assign_event_staff', {
      eventCode: 'summit',
      email: 'desk@acme.example',
      name: 'Dora Desk',
      role: 'onsite',
      sendInvite: true,
    })
    expect(await readersOf('/console/mailbox', 'desk@acme.example')).toEqual(['olga', 'both'])
  })

  it("hides account activity of a client's users from users of another client", async () => {
    expect(await createRecords(people.olga)).toEqual(alike(['olga', 'both']))
    expect(await createRecords(people.rita)).toEqual(alike(['rita', 'both']))
  })

  it('shows a user of two clients only to administrators of both clients, also if the user is staff of one event', async () => {
    expect(await createRecords(people.shared)).toEqual(alike(['both', 'shared']))
    expect(await createRecords(people.helper)).toEqual(alike(['both', 'helper']))
  })

  it('hides a user who belongs to no client from the users of both clients', async () => {
    const email = 'gone@example.org'
    const userId = await createUser(world.database.write, { tenantId: acme.tenantId, email, name: 'Gone' })
    expect(await createRecords({ userId, email })).toEqual(alike([]))
  })
})
