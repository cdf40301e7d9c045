import { describe, expect, it } from 'vitest'
import { createEventContextAt } from '../../../test/support/at-event.ts'
import type { PersonHandle } from '../../../test/support/participants.ts'
import { type PlannedSession, createSessionAt } from '../../../test/support/programs.ts'
import { readRegistrationToken } from '../../domains/registration/own/registration-token.ts'
import { newId } from '../../kernel/ids.ts'
import { congressStory, newEmail } from './congress.ts'

const scenario = congressStory()
const FIX = 'Fix: call agent_request_otp and agent_verify_otp again and use the new session.'

const path = () => {
  const { tenantCode, clientCode, eventCode } = scenario.event
  return `/tenant/${tenantCode}/client/${clientCode}/event/${eventCode}`
}

interface Registered extends PersonHandle {
  id: string
}

/** A participant who started or finished a registration, and signed in afterwards. */
async function registered(data: object = {}, more: object = {}): Promise<Registered> {
  const email = newEmail()
  const { participant } = await scenario.register({}, { data: { '@participant.email': email, ...data }, skipRequired: true, ...more })
  return { ...(await scenario.signIn(email)), id: participant.id }
}
const begun = (data: object = {}) => registered(data, { status: 'incomplete' })
const set = (id: string, columns: string) => scenario.world.database.pool.query(`update participants set ${columns} where id = $1`, [id])

describe('describe_my_flow', () => {
  it('lists the visible questions, answered and missing ones, and the link to finish the registration', async () => {
    const person = await begun({ '@custom.diet': 'vegan' })
    const flow = await person.call('describe_my_flow')
    expect(flow).toMatchObject({ flowSlug: 'attendee', flowName: 'Registration', status: 'incomplete' })
    expect(flow).not.toHaveProperty('editableUntil')
    expect(flow.fields.map(({ binding }: any) => binding)).not.toContain('@custom.hotline')
    expect(flow.fields.find(({ binding }: any) => binding === '@custom.diet')).toMatchObject({
      label: 'What do you eat?',
      type: 'choice',
      required: true,
      answered: true,
      editable: true,
    })
    expect(flow.missing).toEqual([{ binding: '@participant.country', label: 'Country' }])
    expect(JSON.stringify(flow)).not.toMatch(/@product|@policy|"page"/)
    const [address, token] = flow.finishUrl.split('?token=')
    expect(address).toBe(`${path()}/register/attendee`)
    const expected = { audience: 'registration' as const, eventId: scenario.event.eventId, flowSlug: 'attendee' }
    expect(await readRegistrationToken(await createEventContextAt(scenario.world, scenario.event), token, expected)).toMatchObject({
      participantId: person.id,
    })
  })

  it('shows the question about the job once the question about the company is answered', async () => {
    const person = await begun()
    const asked = async () => (await person.call('describe_my_flow')).fields.map(({ binding }: any) => binding)
    expect(await asked()).not.toContain('@participant.jobTitle')
    await person.call('update_my_registration', { data: { '@participant.company': 'ACME' } })
    expect(await asked()).toContain('@participant.jobTitle')
    expect((await person.call('describe_my_flow')).missing).toContainEqual({ binding: '@participant.jobTitle', label: 'Job title' })
  })

  it("shows the questions that are asked for the person's tags", async () => {
    const person = await registered({}, { tags: ['vip'] })
    expect((await person.call('describe_my_flow')).missing).toContainEqual({ binding: '@custom.hotline', label: 'Phone on site' })
  })

  it('reports which answers can be edited: never email or files, no name once complete, and nothing after the deadline', async () => {
    const editable = async (person: PersonHandle) =>
      Object.fromEntries((await person.call('describe_my_flow')).fields.map((field: any) => [field.binding, field.editable]))
    const person = await begun()
    expect(await editable(person)).toMatchObject({
      '@participant.firstName': true,
      '@participant.email': false,
      '@participant.headshot': false,
      '@participant.company': true,
    })
    await set(person.id, `status = 'complete', completed_at = lanyard_now(), confirmation_number = 'ABCDEFGH23'`)
    expect(await editable(person)).toMatchObject({
      '@participant.firstName': false,
      '@participant.lastName': false,
      '@participant.company': true,
    })
    expect(await person.call('describe_my_flow')).not.toHaveProperty('finishUrl')
    await scenario.publish({ flows: [{ slug: 'attendee', editUntil: '2026-04-10T09:59:59.000Z' }] })
    expect(new Set(Object.values(await editable(person)))).toEqual(new Set([false]))
    expect((await person.call('describe_my_flow')).editableUntil).toBe('2026-04-10T09:59:59.000Z')
    await scenario.publish({ flows: [{ slug: 'attendee', editUntil: null }] })
  })

  it('returns no questions for a participant who was added without a registration flow', async () => {
    const person = await registered()
    await set(person.id, 'flow_slug = null')
    expect(await person.call('describe_my_flow')).toEqual({
      status: 'complete',
      fields: [],
      missing: [],
    })
  })

  it("describes the flow in the person's language if the event supports it", async () => {
    const person = await begun({ '@participant.language': 'fr-CA', '@custom.origin': 'DE' })
    await scenario.call('update_event', { locales: ['en', 'fr'] })
    await scenario.publish({
      translations: { fr: { '/customFields/origin/name': 'Pays d’origine', '/flows/attendee/name': 'Inscription' } },
    })
    const flow = await person.call('describe_my_flow')
    expect(flow.flowName).toBe('Inscription')
    const origin = flow.fields.find(({ binding }: any) => binding === '@custom.origin')
    expect(origin.label).toBe('Pays d’origine')
    expect(origin.choices).toContainEqual({ code: 'DE', name: 'Allemagne' })
    expect((await person.call('get_my_registration')).answers).toContainEqual({
      binding: '@custom.origin',
      label: 'Pays d’origine',
      value: 'DE',
      display: 'Allemagne',
    })
    expect((await (await begun()).call('describe_my_flow')).flowName).toBe('Registration')
  })
})

describe('get_my_registration', () => {
  it('returns answers both as stored values and as text for display', async () => {
    const person = await registered({
      '@participant.firstName': 'Anna',
      '@participant.lastName': 'Keller',
      '@participant.country': 'PT',
      '@custom.diet': 'vegan',
      '@custom.topics': ['art', 'ai'],
      '@custom.arrival': '2026-09-01',
      '@custom.years': '12',
      '@custom.first-time': false,
      '@custom.hotline': '+33142685300',
      '@custom.rating': 'difficult',
    })
    const mine = await person.call('get_my_registration')
    const { rows } = await scenario.world.database.pool.query<any>('select * from participants where id = $1', [person.id])
    expect(mine).toEqual({
      participantId: person.id,
      status: 'complete',
      confirmationNumber: rows[0].confirmation_number,
      flowSlug: 'attendee',
      eventName: expect.any(String),
      startsOn: '2026-09-01',
      endsOn: expect.any(String),
      timezone: 'Europe/Paris',
      answers: [
        { binding: '@participant.firstName', label: 'First name', value: 'Anna', display: 'Anna' },
        { binding: '@participant.lastName', label: 'Last name', value: 'Keller', display: 'Keller' },
        { binding: '@participant.email', label: 'Email', value: person.email, display: person.email },
        { binding: '@participant.country', label: 'Country', value: 'PT', display: 'Portugal' },
        { binding: '@custom.diet', label: 'What do you eat?', value: 'vegan', display: 'Vegan' },
        { binding: '@custom.topics', label: 'Topics', value: ['art', 'ai'], display: 'ART and AI' },
        { binding: '@custom.arrival', label: 'Arrival', value: '2026-09-01', display: 'Tuesday, 1 September 2026' },
        { binding: '@custom.years', label: 'Years in the field', value: '12', display: '12' },
        { binding: '@custom.first-time', label: 'First time here', value: false, display: 'No' },
      ],
      guests: [],
      sessions: [],
      housing: [],
      waitlist: [],
      sharing: Object.fromEntries(['firstName', 'lastName', 'email', 'jobTitle', 'company'].map((field) => [field, 'default'])),
      visibleToParticipants: false,
      manageUrl: `${path()}/registration/sign-in?email=${encodeURIComponent(person.email)}`,
      revision: rows[0].revision,
    })
    // Neither the organizer's notes, nor tags, nor the source of the registration.
    expect(JSON.stringify(mine)).not.toMatch(/difficult|tags|source/)
  })

  it('lists the conference sessions in which a participant is enrolled or waitlisted', async () => {
    await scenario.publish({
      sessions: {
        tracks: [{ code: 'main', name: 'Main' }],
        formats: [{ code: 'talk', name: 'Talk', minutes: 40 }],
        rooms: [{ code: 'hall', name: 'Great hall' }],
      },
    })
    const planned = (more: PlannedSession) => createSessionAt(scenario.world, scenario.event, { trackCode: 'main', ...more })
    const hall = await planned({ title: 'In the hall', roomCode: 'hall', from: '2026-09-02T09:00' })
    const full = await planned({ title: 'Full', from: '2026-09-02T11:00', capacity: 0 })
    const first = await planned({ title: 'First', from: '2026-09-01T09:00' })
    const hears = Object.fromEntries([hall, full, first].map((id) => [`@session.${id}`, true]))
    const person = await registered(hears, { joinWaitlist: true })
    const mine = await person.call('get_my_registration')
    expect(mine.sessions).toEqual([
      { title: 'First', startsAt: '2026-09-01T07:00:00.000Z' },
      { title: 'In the hall', startsAt: '2026-09-02T07:00:00.000Z', room: 'Great hall' },
    ])
    expect(mine.waitlist).toEqual([{ for: 'Full', rank: 1 }])
    expect(JSON.stringify(mine.answers)).not.toContain('@session')
  })

  it('returns guests, group, waiting list, shared data, and files by name and size', async () => {
    await scenario.publish({
      flows: [{ slug: 'attendee', guests: { enabled: true, max: 3 } }],
      products: [{ code: 'workshop', capacity: 1, waitlist: true }],
    })
    const person = await registered()
    const names = { '@participant.firstName': 'Gil', '@participant.lastName': 'Guest' }
    await scenario.call('add_participant', { flowSlug: 'attendee', hostId: person.id, data: names })
    const code = `acme-${person.id.slice(-6)}`
    await scenario.call('create_managed_group', { name: 'Acme', code, kind: 'company', flowSlug: 'attendee', payBy: 'members' })
    await scenario.call('update_managed_group_members', { groupCode: code, add: [{ participantId: person.id }] })
    const { tenantId, clientId, eventId } = scenario.event
    const [fileId, elsewhere, entryId] = [newId(), newId(), newId()]
    for (const [id, event] of [
      [fileId, eventId],
      [elsewhere, null],
    ])
      await scenario.world.database.pool.query(
        `insert into files (tenant_id, id, client_id, event_id, purpose, name, mime, size, sha256, created_by)
         values ($1, $2, $3, $4, 'answer', 'pass.pdf', 'application/pdf', 1234, decode(repeat('00', 32), 'hex'), 'test')`,
        [tenantId, id, clientId, event],
      )
    await set(
      person.id,
      `visible_to_participants = true, ai_profile = 'Keen on law', ai_profile_origin = '{"generator": "embedded"}', sharing = '{"email": "restrict", "company": "share"}', custom_field_responses = '{"pass-copy": "${fileId}"}', headshot = '${elsewhere}'`,
    )
    await scenario.world.database.pool.query(
      `insert into waitlist_entries (tenant_id, event_id, id, participant_id, is_test_data, target, position) values ($1, $2, $3, $4, false, 'product:workshop', 900)`,
      [tenantId, eventId, entryId, person.id],
    )
    const mine = await person.call('get_my_registration')
    expect(mine.guests).toEqual([{ name: 'Gil Guest', status: 'complete' }])
    expect(mine.group).toEqual({ code, name: 'Acme', role: 'member' })
    expect(mine.answers.filter(({ display }: any) => display.endsWith('pdf'))).toEqual([
      { binding: '@custom.pass-copy', label: 'Copy of the pass', value: { name: 'pass.pdf', size: 1234 }, display: 'pass.pdf' },
    ])
    expect(mine).toMatchObject({ visibleToParticipants: true, aiProfile: 'Keen on law' })
    expect(mine.waitlist).toEqual([{ for: 'Workshop A', rank: 1 }])
    const offering = { entryIds: [entryId], action: 'promote' }
    const { confirmToken } = await scenario.call('promote_waitlist_entries', { ...offering, dryRun: true })
    await scenario.call('promote_waitlist_entries', { ...offering, ...(confirmToken ? { confirmToken } : {}) })
    const [{ offered_until: until }] = (
      await scenario.world.database.pool.query<any>('select offered_until from waitlist_entries where id = $1', [entryId])
    ).rows
    expect((await person.call('get_my_registration')).waitlist).toEqual([
      {
        for: 'Workshop A',
        rank: null,
        offer: {
          status: 'offered',
          expiresAt: until.toISOString(),
          url: expect.stringMatching(/\/registration\/sign-in\?email=[^&]+&next=[^&]+registration$/),
        },
      },
    ])
    expect(mine.sharing).toEqual({ firstName: 'default', lastName: 'default', email: 'restrict', jobTitle: 'default', company: 'share' })
  })
})

describe('choice between several registrations of a person', () => {
  const TOOLS = ['describe_my_flow', 'get_my_registration', 'check_balance_due', 'resend_my_confirmation_email'] as const

  it('sends an unregistered person to agent_submit_registration', async () => {
    const email = newEmail()
    const person = await scenario.signIn(email)
    const REGISTER =
      'Fix: this person is not registered yet. Call agent_submit_registration (agent_list_flows shows the questions), then agent_request_otp and agent_verify_otp again, and use the new session.'
    for (const tool of TOOLS) expect((await person.refused(tool)).text).toBe(`No verified participant identity for this run.\n${REGISTER}`)
    expect((await person.refused('recommend_products')).text).toBe(`No participant identity available\n${REGISTER}`)
    // A cancelled registration gives a new session access to nothing, so the person must register again.
    const { participant } = await scenario.register({}, { data: { '@participant.email': email }, skipRequired: true })
    expect((await person.refused('get_my_registration')).text).toContain(FIX)
    await set(participant.id, `status = 'cancelled', cancelled_at = lanyard_now()`)
    expect((await person.refused('get_my_registration')).text).toContain(REGISTER)
  })

  it('excludes registrations created after the sign-in session was opened', async () => {
    const email = newEmail()
    const person = await scenario.signIn(email)
    await scenario.register({}, { data: { '@participant.email': email }, skipRequired: true })
    for (const tool of TOOLS) expect((await person.refused(tool)).text).toBe(`No verified participant identity for this run.\n${FIX}`)
    expect((await person.refused('update_my_registration', { data: {} })).text).toContain('No verified participant identity for this run.')
  })

  it('requires the caller to choose a registration if two people share a mailbox, and rejects those of other people', async () => {
    const email = newEmail()
    const ids: string[] = []
    for (const name of ['Anna', 'Bernd']) {
      const data = { '@participant.firstName': name, '@participant.lastName': 'Keller', '@participant.email': email }
      ids.push((await scenario.register({}, { data, skipRequired: true })).participant.id)
    }
    const other = await registered()
    const person = await scenario.signIn(email)
    for (const tool of TOOLS) {
      const refusal: any = await person.refused(tool)
      expect(refusal).toMatchObject({ code: 'ambiguous' })
      expect(refusal.candidates).toEqual(
        ids.toSorted().map((participantId) => ({ participantId, name: expect.stringMatching(/^(Anna|Bernd) Keller$/) })),
      )
      expect((await person.refused(tool, { participantId: other.id })).code).toBe('not_found')
      expect(await person.call(tool, { participantId: ids[1] })).toBeTruthy()
    }
    expect((await person.call('get_my_registration', { participantId: ids[1] })).answers[0].value).toBe('Bernd')
    expect((await person.refused('update_my_registration', { participantId: other.id, data: {} })).code).toBe('not_found')
  })

  it("finds a participant's test registration in test mode", async () => {
    await scenario.call('update_event', { testMode: true })
    const email = newEmail()
    const data = { '@participant.firstName': 'Test', '@participant.lastName': 'Person' }
    await (await scenario.signIn(email)).call('agent_submit_registration', { data })
    const person = await scenario.signIn(email)
    expect(await person.call('get_my_registration')).toMatchObject({ status: 'incomplete', flowSlug: 'attendee' })
    await scenario.call('update_event', { testMode: false })
    expect((await (await scenario.signIn(email)).refused('get_my_registration')).text).toContain('No verified participant identity')
  })
})
