import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { issueParticipantSession } from '../../src/domains/access/participant-sessions.ts'
import type { EventConfig } from '../../src/domains/configuration/schema/event-config.ts'
import { applySharingChoices } from '../../src/domains/exhibitors/visibility.ts'
import { readDraftConfiguration, readLiveConfiguration } from '../../src/domains/configuration/read.ts'
import { createEventContextAt } from '../support/at-event.ts'
import { eventHomePath, signInVisitor } from '../support/own-pages.ts'
import { createApiAccountAt, personHandle } from '../support/participants.ts'
import { ANA_BADGE, requestLead, LEAD_PRODUCTS, openShowFloor, type ShowFloor } from '../support/lead-requests.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { newWorld, type World } from '../support/world.ts'

let world: World
let served: Served
let floor: ShowFloor

const scan = (company: { code: string }, badge: string) => requestLead(served, floor.leadRequest(company, badge))
const figure = (query: string) => floor.exhibitors.figure(query)

beforeAll(async () => {
  world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  await world.clock.stopAt('2027-02-20T08:00:00Z')
  floor = await openShowFloor(world, {
    products: LEAD_PRODUCTS,
    exhibitorConfig: {
      leadVisibleFields: ['email', 'jobTitle', 'cf:topics'],
      meetingHours: [{ day: '2027-03-01', from: '10:00', until: '11:00' }],
    },
  } as never)
  served = await serve(world)
})
afterAll(() => world.end())

describe('leads through changes at the show', () => {
  it('keeps one lead of an attendee through licence and sharing changes, an appointment and a new badge', async () => {
    const company = await floor.exhibitors.company({ name: 'Borealis' })
    const ofCompany = (table: string) => `select count(*) as n from ${table} where company_id = '${company.id}'`
    expect((await scan(company, 'f'.repeat(16))).status).toBe(403)
    await floor.buyLeadProduct({ companyId: company.id }, 'lead-device')
    expect((await scan(company, '0')).status).toBe(403)
    await floor.buyLeadProduct({ companyId: company.id }, 'lead-app')

    expect((await scan(company, '0')).body).toMatchObject({ isTest: true })
    expect((await requestLead(served, { ...floor.leadRequest(company, ANA_BADGE), activationCode: '0' })).body).toMatchObject({
      testEvent: true,
    })
    expect(await figure(ofCompany('leads'))).toBe(0)

    const forms = [ANA_BADGE, `${ANA_BADGE.toUpperCase()}|Ana|Lima`, `${served.baseUrl}/b/${ANA_BADGE}`]
    const answers = []
    for (const form of forms) answers.push((await scan(company, form)).body)
    expect(answers.map(({ captures }) => captures)).toEqual([1, 2, 3])
    expect(new Set(answers.map(({ leadId }) => leadId)).size).toBe(1)
    expect([await figure(ofCompany('leads')), await figure(ofCompany('lead_captures'))]).toEqual([1, 3])
    expect(answers[2].fields).toEqual({ firstName: 'Ana', lastName: 'Lima', email: 'ana@example.org', jobTitle: 'CTO' })

    const ana = await signInVisitor(world, served, floor.event, 'ana@example.org')
    await ana.post(`${eventHomePath(floor.event)}/registration/sharing`, { 'field.email': 'restrict', 'field.mobilePhone': 'share' })
    const fourth = (await scan(company, ANA_BADGE)).body
    expect(fourth.captures).toBe(4)
    expect(fourth.fields).toEqual({ firstName: 'Ana', lastName: 'Lima', jobTitle: 'CTO', mobilePhone: '+4930123456' })
    expect(await readSharedFields()).toEqual({ fields: fourth.fields, customFields: fourth.customFields })

    await bookAppointmentAsAna(company.id)
    expect([await figure(ofCompany('leads')), await figure(ofCompany('lead_captures'))]).toEqual([1, 5])
    expect(await figure(`select captures as n from leads where company_id = '${company.id}'`)).toBe(4)

    await world.database.pool.query('update participants set badge_id = $2 where id = $1', [floor.ana, 'f'.repeat(16)])
    expect((await scan(company, ANA_BADGE)).status).toBe(404)
    expect((await scan(company, 'F'.repeat(16))).body).toMatchObject({ captures: 5, badgeId: 'f'.repeat(16) })

    // The order line of the `sdk` licence is credited; the line of the `device` licence stays.
    await floor.people.returns({ companyId: company.id }, 'lead-app')
    expect((await scan(company, ANA_BADGE)).status).toBe(403)
  })

  it('adds scans to a lead that an appointment created without captures', async () => {
    const company = await floor.exhibitors.company({ name: 'Cirrus' })
    await floor.license(company.id)
    const [before] = await floor.exhibitors.slots(company.id)
    expect(before).toBeDefined()
    const petra = await floor.people.person({
      first_name: 'Petra',
      last_name: 'Plum',
      email: 'petra@example.org',
      badge_id: 'a'.repeat(16),
    })
    await book(petra, 'petra@example.org', before!.id)
    const lead = `select captures as n from leads where company_id = '${company.id}'`
    expect(await figure(lead)).toBe(0)
    const { body } = await scan(company, 'a'.repeat(16))
    expect(body).toMatchObject({ captures: 1, source: 'sdk', firstCapturedAt: body.lastCapturedAt })
    expect([await figure(lead), await figure(`select count(*) as n from lead_captures where company_id = '${company.id}'`)]).toEqual([1, 2])
  })

  it('shows companies the picture that the attendee selected on their sharing page', async () => {
    const company = await floor.createLicensedCompany()
    const [face, drawn] = ['1'.repeat(24), '2'.repeat(24)] as const
    await floor.insertPicture(face, 'face.png')
    await floor.insertPicture(drawn, 'drawn.png')
    await floor.people.person({ email: 'paula@example.org', badge_id: 'paula', headshot: face, ai_avatar_file_id: drawn })
    const paula = await signInVisitor(world, served, floor.event, 'paula@example.org')
    const chooses = (fields: Record<string, string>) => paula.post(`${eventHomePath(floor.event)}/registration/sharing`, fields)
    const picture = async () => {
      const { fields, photoUrl } = (await scan(company, 'paula')).body
      return [fields.headshot, photoUrl].map((url?: string) => /\/(\w+)\.png\?/.exec(url ?? '')?.[1])
    }
    expect(await picture()).toEqual([undefined, undefined])
    await chooses({ 'field.headshot': 'share' })
    expect(await picture()).toEqual(['face', 'face'])
    await chooses({ avatar: 'avatar' })
    expect(await picture()).toEqual(['face', 'drawn'])
    await chooses({ 'field.headshot': 'restrict', avatar: 'avatar' })
    expect(await picture()).toEqual([undefined, undefined])
  })

  it('lets only organizers and the company’s administrators buy lead licences', async () => {
    const company = await floor.exhibitors.company({ name: 'Dorado' })
    const staff = async (role: 'admin' | 'staff') => {
      const participantId = await floor.people.person({ email: `${role}@dorado.example` })
      await world.database.write
        .insertInto('exhibitor_staff')
        .values({
          tenant_id: floor.event.tenantId,
          event_id: floor.event.eventId,
          id: participantId,
          company_id: company.id,
          participant_id: participantId,
          is_test_data: false,
          name: role,
          email: `${role}@dorado.example`,
          role,
          status: 'registered',
        })
        .execute()
      return participantId
    }
    await floor.buyLeadProduct({ participantId: await staff('staff') }, 'lead-app')
    expect((await scan(company, '0')).status).toBe(403)
    await floor.buyLeadProduct({ participantId: await staff('admin') }, 'lead-app')
    expect((await scan(company, '0')).status).toBe(200)
  })

  it('accepts scans with a lead licence only after its invoice is paid, if the organizer requires that', async () => {
    await floor.exhibitors.publish({
      products: LEAD_PRODUCTS,
      exhibitorConfig: { leadVisibleFields: ['email', 'jobTitle', 'cf:topics'], leadLicencesNeedPayment: true },
    } as never)
    const company = await floor.exhibitors.company({ name: 'Eridanus', appointmentsEnabled: false })
    await floor.buyLeadProduct({ companyId: company.id }, 'lead-app')
    expect((await scan(company, '0')).status).toBe(403)
    await floor.people.pays({ companyId: company.id }, 20_000)
    expect((await scan(company, '0')).status).toBe(200)
  })
})

/** The fields that an attendee shares, read with the function that emails, portal, exports, REST and webhooks all use. */
async function readSharedFields() {
  const ctx = await createEventContextAt(world, floor.event)
  const { config } = (await readLiveConfiguration(ctx, await readDraftConfiguration(ctx)))! as { config: EventConfig }
  const row = await world.database.write.selectFrom('participants').selectAll().where('id', '=', floor.ana).executeTakeFirstOrThrow()
  const { fields, customFields } = applySharingChoices(config, row)
  return { fields, customFields }
}

const bookAppointmentAsAna = async (companyId: string) =>
  book(floor.ana, 'ana@example.org', (await floor.exhibitors.slots(companyId))[0]!.id)

async function book(participantId: string, email: string, slotId: string): Promise<void> {
  const account = await createApiAccountAt(world, floor.event)
  const at = { tenantId: floor.event.tenantId, accountId: account.accountId, eventId: floor.event.eventId, email }
  const { token } = await issueParticipantSession(world.database.write, at)
  await personHandle(world, { ...account, email, participantIds: [participantId], session: token.reveal() }).call(
    'book_exhibitor_appointment',
    {
      slotId,
    },
  )
}
