import { afterAll, beforeAll, expect, it } from 'vitest'
import { REST_ENTITIES } from '../../src/domains/entities/catalogue.ts'
import { recordLeadCapture } from '../../src/domains/exhibitors/leads.ts'
import { createExhibitorFixtures, buildRectangle } from '../support/companies.ts'
import { GRAND_HOTEL, createHotelAt, buildRoomAnswers, inEventTransaction } from '../support/hotels.ts'
import { parseCodeBlocks, readPageSource } from '../support/code-blocks.ts'
import { executePage } from '../support/executed-page.ts'
import { createSessionAt, createSpeakerAt } from '../support/programs.ts'
import { ANA_BADGE } from '../support/lead-requests.ts'
import { openSummit, type Summit } from './summit.ts'

let summit: Summit

const NIGHTS = [{ from: '2027-03-01', until: '2027-03-03', rooms: 10, single: 18900, double: 21900 }]

const registerNamed = async (firstName: string, lastName: string, data: object = {}): Promise<string> => {
  const email = `${firstName.toLowerCase()}@example.org`
  const { participant } = await summit.call('add_participant', {
    flowSlug: 'attendee',
    data: {
      '@participant.firstName': firstName,
      '@participant.lastName': lastName,
      '@participant.email': email,
      '@custom.topics': ['ai'],
      '@product.pass': 1,
      ...data,
    },
  })
  return participant.id
}

beforeAll(async () => {
  summit = await openSummit({
    sections: {
      housing: { enabled: true },
      sessions: { tracks: [{ code: 'build', name: 'Building' }], formats: [{ code: 'talk', name: 'Talk', minutes: 40 }] },
    },
  })
  const { world, event, call } = summit
  // Adds a page for hotel rooms before the last page of the flow.
  await call('config_set', {
    operations: [
      {
        op: 'insert',
        path: '/flows/attendee/pages/choices/widgets',
        valueJson: JSON.stringify({ id: 'room', type: 'housing' }),
      },
    ],
  })
  await call('publish_event')
  const hotelId = await createHotelAt(world, event, {
    contract: { cutoffOn: '2027-02-20' },
    roomTypes: [{ ...GRAND_HOTEL.roomTypes![0]!, nights: NIGHTS }],
  } as never)
  await call('update_event', { testMode: true })
  await registerNamed('Tess', 'Test')
  await call('update_event', { testMode: false })
  const [bo, ana] = [await registerNamed('Bo', 'Berg'), await registerNamed('Ana', 'Lima', { '@participant.jobTitle': 'CTO', ...buildRoomAnswers(hotelId, '2027-03-01', '2027-03-03') })]
  await world.database.pool.query('update participants set badge_id = $2 where id = $1', [ana, ANA_BADGE])
  const gone = await call('create_managed_group', { name: 'Gone', kind: 'other', payBy: 'members', flowSlug: 'attendee' })
  await call('delete_managed_group', { groupCode: gone.group.code })
  const { group } = await call('create_managed_group', { name: 'Borealis', kind: 'company', payBy: 'members', flowSlug: 'attendee' })
  await call('update_managed_group_members', { groupCode: group.code, add: [{ participantId: bo }] })
  const exhibitors = createExhibitorFixtures(world, event)
  await exhibitors.plan({ code: 'hall-1' }, [{ number: '101', polygon: buildRectangle(1, 1, 3, 3) }] as never)
  const company = await exhibitors.company({ name: 'Borealis', contact: { name: 'Connie Chu', email: 'connie@borealis.example' } })
  await exhibitors.assign('101', company.id)
  const met = { companyId: company.id, participantId: ana, isTestData: false, type: 'sdk', at: new Date('2027-03-01T09:00:00Z') } as const
  await inEventTransaction(world, event, (ctx) => recordLeadCapture(ctx, met))
  await world.database.pool.query(
    `insert into attendance_scans (tenant_id, event_id, id, participant_id, scope, gate_code, direction, at, method, device_name, result)
     values ($1, $2, lanyard_new_id(), $3, 'gate', 'north', 'in', '2027-03-01T08:12:00Z', 'scan', 'Door 2', 'accepted')`,
    [event.tenantId, event.eventId, ana],
  )
  // Inserts a contact of an earlier event, with another email address.
  await world.database.pool.query(
    `with made as (insert into contacts (tenant_id, client_id, id, first_name, last_name, external_ids)
       values ($1, $2, lanyard_new_id(), 'Ana', 'Lima', '{"crm": "4711"}') returning tenant_id, client_id, id)
     insert into contact_emails (tenant_id, client_id, contact_id, address, place, is_primary)
     select tenant_id, client_id, id, 'ana.lima@acme.example', 1, true from made`,
    [event.tenantId, event.clientId],
  )
  const speakerId = await createSpeakerAt(world, event)
  await createSessionAt(world, event, { title: 'Turbines in practice', from: '2027-03-01T10:00', speakers: [{ speakerId, role: 'speaker' }] } as never)
})
afterAll(() => summit.world.end())

it('documents REST requests and responses that match those of the server', async () => {
  const page = executePage('rest', { served: summit.served, variables: { LANYARD_TOKEN: summit.account.token } })
  await page.runUntil()
  page.finish()
})

it('documents only existing REST records', () => {
  const asked = parseCodeBlocks(readPageSource('rest')).flatMap(({ text }) => [...text.matchAll(/\/v1\/([a-z]+)/g)].map(([, path]) => path!))
  const served = [...REST_ENTITIES.map(({ path }) => path), 'me', 'deletions']
  expect([...new Set(asked)].filter((path) => !served.includes(path))).toEqual([])
})
