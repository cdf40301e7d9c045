import { describe, expect, it } from 'vitest'
import { createEventContextAt } from '../../../test/support/at-event.ts'
import { readRegistrationToken } from '../../domains/registration/own/registration-token.ts'
import { congressStory, newEmail } from './congress.ts'

const scenario = congressStory()

const anna = { '@participant.firstName': 'Anna', '@participant.lastName': 'Keller' }
const submit = async (email: string, data: object = anna, more: object = {}) =>
  (await scenario.signIn(email)).call('agent_submit_registration', { data, ...more })
const faultsOf = async (data: object, more: object = {}) => {
  const result = await submit(newEmail(), { ...anna, ...data }, more)
  expect(result).toEqual({ status: 'validation_failed', errors: expect.any(Array) })
  return result.errors as any[]
}
const rowsOf = async (email: string) =>
  (await scenario.world.database.pool.query<any>('select * from participants where email_norm = lower($1) order by id', [email])).rows
const count = (from: string) => scenario.queryNumber(`select count(*)::int as figure from ${from}`)
const path = () => {
  const { tenantCode, clientCode, eventCode } = scenario.event
  return `/tenant/${tenantCode}/client/${clientCode}/event/${eventCode}`
}

describe('agent_submit_registration', () => {
  it('starts a registration and returns the link where the person finishes it', async () => {
    const email = newEmail()
    const before = [await count('orders'), await count('holds'), await count('messages')]
    const result = await submit(email, { ...anna, '@participant.company': ' ACME ', '@custom.diet': 'vegan' })
    const [row] = await rowsOf(email)
    expect(result).toEqual({
      status: 'new',
      matchStatus: 'new',
      url: `${path()}/register/attendee?token=${result.jwt}`,
      jwt: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      flowSlug: 'attendee',
      participantId: row.id,
    })
    expect(row).toMatchObject({
      status: 'incomplete',
      source: 'assistant',
      flow_slug: 'attendee',
      is_test_data: false,
      first_name: 'Anna',
      company: 'ACME',
      email,
      custom_field_responses: { diet: 'vegan' },
      confirmation_number: null,
    })
    expect(row.version_id).not.toBeNull()
    expect([await count('orders'), await count('holds'), await count('messages')]).toEqual(before)
    const ctx = await createEventContextAt(scenario.world, scenario.event)
    const expected = { audience: 'registration' as const, eventId: scenario.event.eventId, flowSlug: 'attendee' }
    expect(await readRegistrationToken(ctx, result.jwt, expected)).toMatchObject({ state: 'valid', participantId: row.id })
  })

  it('records the registration in the audit log under the person and the account, and counts a visit of the flow', async () => {
    const email = newEmail()
    const { participantId } = await submit(email)
    const { rows } = await scenario.world.database.pool.query<any>(
      `select actor_kind, actor_name, app_name, tool from audit_entries where jsonb_path_query_array(targets, '$[*].id') @> to_jsonb($1::text)`,
      [participantId],
    )
    expect(rows).toEqual([{ actor_kind: 'participant', actor_name: email, app_name: 'Concierge', tool: 'agent_submit_registration' }])
    const visits = await scenario.world.database.pool.query<any>(
      'select device, outcome, pages from flow_visits where participant_id = $1',
      [participantId],
    )
    expect(visits.rows).toMatchObject([{ device: 'assistant', outcome: null, pages: [{ code: 'contact', leftAt: null }] }])
  })

  it('saves the verified email address regardless of the submitted one', async () => {
    const email = newEmail()
    await submit(email, { ...anna, '@participant.email': 'another@example.org' })
    await submit(newEmail(), { ...anna, '@participant.email': 'no address at all' })
    expect((await rowsOf(email))[0].email).toBe(email)
    expect(await rowsOf('another@example.org')).toEqual([])
  })

  it('continues an unfinished registration without saving, regardless of how the name is spelled', async () => {
    const email = newEmail()
    const first = await submit(email, { '@participant.firstName': 'Änna-Lena', '@participant.lastName': 'Müller' })
    const [before] = await rowsOf(email)
    for (const [firstName, lastName, address] of [
      ['Änna-Lena', 'Müller', email],
      ['ANNA-LENA', 'muller', email.toUpperCase()],
      ['  Anna-lena ', 'Mu\u0308ller', email],
    ]) {
      const again = await submit(address!, {
        '@participant.firstName': firstName,
        '@participant.lastName': lastName,
        '@participant.company': 'Other Ltd',
      })
      expect(Object.keys(again)).toEqual(['status', 'matchStatus', 'url', 'jwt', 'flowSlug'])
      expect(again).toMatchObject({ status: 'existing_incomplete', matchStatus: 'existing_incomplete', flowSlug: 'attendee' })
      expect(again.url).toBe(`${path()}/register/attendee?token=${again.jwt}`)
    }
    expect(await rowsOf(email)).toEqual([before])
    expect(first.participantId).toBe(before.id)
  })

  it('continues an unfinished registration in the flow in which it was started', async () => {
    const email = newEmail()
    await submit(email, anna, { flowSlug: 'speakers' })
    expect(await submit(email, anna)).toMatchObject({ status: 'existing_incomplete', flowSlug: 'speakers' })
  })

  it('links registered and waitlisted people to the sign-in page with their email prefilled, and saves nothing', async () => {
    const email = `anna+${newEmail()}`
    await scenario.register({}, { flowSlug: 'speakers', data: { ...anna, '@participant.email': email } })
    const [before] = await rowsOf(email)
    const expected = {
      status: 'existing_complete',
      matchStatus: 'existing_complete',
      url: `${path()}/registration/sign-in?email=${encodeURIComponent(email)}`,
    }
    expect(await submit(email, { ...anna, '@participant.company': 'Other Ltd' })).toEqual(expected)
    expect(expected.url).toContain('?email=anna%2Bvisitor')
    await scenario.world.database.pool.query(`update participants set status = 'waitlisted' where id = $1`, [before.id])
    expect(await submit(email)).toEqual(expected)
    await scenario.world.database.pool.query(`update participants set status = 'cancelled', cancelled_at = now() where id = $1`, [
      before.id,
    ])
    expect(await submit(email)).toMatchObject({ status: 'new' })
  })

  it('creates one registration and returns existing_incomplete for two concurrent submissions', async () => {
    const email = newEmail()
    const person = await scenario.signIn(email)
    const both = await Promise.all([1, 2].map(() => person.call('agent_submit_registration', { data: anna })))
    expect(both.map(({ status }) => status).toSorted((a: string, b: string) => a.localeCompare(b))).toEqual(['existing_incomplete', 'new'])
    expect(await rowsOf(email)).toHaveLength(1)
  })

  it('lets two people share a mailbox, whose next sign-in session covers both registrations', async () => {
    const email = newEmail()
    await submit(email)
    expect(await submit(email, { ...anna, '@participant.firstName': 'Bernd' })).toMatchObject({ status: 'new' })
    expect(await rowsOf(email)).toHaveLength(2)
    const refusal = await (await scenario.signIn(email)).refused('fixture_list_wishes')
    expect(refusal).toMatchObject({ code: 'ambiguous' })
    expect(refusal.text).toContain('participantId')
  })

  it('does not let a sign-in session open a registration that was created after the sign-in', async () => {
    const person = await scenario.signIn(newEmail())
    await person.call('agent_submit_registration', { data: anna })
    expect((await person.refused('fixture_list_wishes')).text).toBe(
      'No verified participant identity for this run.\nFix: call agent_request_otp and agent_verify_otp again and use the new session.',
    )
  })

  describe('validation errors of a submitted registration', () => {
    it('reports the validation errors of all answers together, and saves nothing', async () => {
      const email = newEmail()
      const before = [await count('participants'), await count('audit_entries')]
      const result = await submit(email, {
        '@participant.firstName': 5,
        '@participant.compny': 'ACME',
        '@custom.diet': 'fish',
        '@product.pass': 1,
      })
      expect(result).toEqual({
        status: 'validation_failed',
        errors: [
          { binding: '@participant.firstName', code: 'invalid', message: 'Enter a text.' },
          {
            binding: '@participant.compny',
            code: 'unknown',
            message: 'is not a field of this event — did you mean @participant.company?',
            allowed: ['@participant.company'],
          },
          { binding: '@custom.diet', code: 'invalid', message: 'Choose one of none, vegan, halal.', allowed: ['vegan', 'none'] },
          { binding: '@product.pass', code: 'not_here', message: 'chosen by the person in the browser' },
          { binding: '@participant.lastName', code: 'required', message: 'Last name is required' },
        ],
      })
      expect([await count('participants'), await count('audit_entries')]).toEqual(before)
    })

    it('reports a missing or blank name as an error, but no other required answer of the flow', async () => {
      expect((await submit(newEmail(), {})).errors.map(({ binding, code }: any) => [binding, code])).toEqual([
        ['@participant.firstName', 'required'],
        ['@participant.lastName', 'required'],
      ])
      expect(await faultsOf({ '@participant.lastName': '   ' })).toMatchObject([{ code: 'required' }])
      expect(await submit(newEmail(), anna)).toMatchObject({ status: 'new' })
    })

    it.each(['@product.pass', '@policy.terms', '@session.abc', '@discount.code', '@guest.1.firstName', '@housing.checkIn', '@group.code'])(
      'rejects an answer for %s, which the person chooses in the browser',
      async (binding) => {
        expect(await faultsOf({ [binding]: 'x' })).toEqual([{ binding, code: 'not_here', message: 'chosen by the person in the browser' }])
      },
    )

    it.each(['@participant.headshot', '@custom.pass-copy'])(
      'rejects an answer for %s, because files are uploaded in the browser',
      async (binding) => {
        expect(await faultsOf({ [binding]: 'a'.repeat(24) })).toMatchObject([{ binding, code: 'not_here' }])
      },
    )

    it('rejects answers to questions that other flows ask, that no flow asks, or that are retired', async () => {
      expect(await faultsOf({ '@custom.talk': 'x' })).toMatchObject([{ code: 'not_here', message: 'is not part of the flow attendee' }])
      expect(await faultsOf({ '@custom.rating': 'best' })).toEqual([
        { binding: '@custom.rating', code: 'unknown', message: 'is not a field of this event' },
      ])
      expect(await faultsOf({ '@custom.fax': '+33 1 42 68 53 00' })).toMatchObject([{ code: 'unknown' }])
      expect(await faultsOf({ constructor: 'x', '@participant.toString': 'x' })).toMatchObject([{ code: 'unknown' }, { code: 'unknown' }])
    })

    it.each([
      ['@custom.topics', ['ai', 'law', 'art'], 'Choose at most 2.'],
      ['@custom.topics', 'sports', 'Choose from the list.'],
      ['@custom.diet', 'halal', 'Choose one of none, vegan.'],
      ['@custom.diet', 'kosher', 'Choose one of none, vegan, halal.'],
      ['@custom.arrival', '2026-08-24', 'Choose 2026-08-25 or later.'],
      ['@custom.arrival', '2026-02-30', 'There is no such day: February 2026 has 28 days.'],
      ['@custom.years', 61, 'Enter at most 60.'],
      ['@custom.first-time', 'yes', 'Answer true or false.'],
      ['@custom.hotline', '12', 'Enter a phone number with its country code, such as +49 30 901820.'],
      ['@participant.country', 'US', 'Choose one of FR, DE, PT.'],
      ['@custom.origin', 'Atlantis', 'Enter a two-letter country code, such as DE.'],
      ['@participant.company', 'x'.repeat(201), 'Enter at most 200 characters.'],
      ['@participant.company', { name: 'ACME' }, 'Enter a text.'],
    ])('rejects for the question %s the value %j: %s', async (binding, value, message) => {
      const [fault, ...others] = await faultsOf({ [binding]: value })
      expect(others).toEqual([])
      expect(fault).toMatchObject({ binding, code: 'invalid', message: expect.stringContaining(message.slice(0, -1)) })
    })

    it('accepts answers in their stored form: several choices, dates, numbers, phones', async () => {
      const email = newEmail()
      await submit(email, {
        ...anna,
        '@custom.topics': ['art', 'ai'],
        '@custom.arrival': '2026-09-01',
        '@custom.years': '12',
        '@custom.first-time': false,
        '@custom.hotline': '01 42 68 53 00',
        '@custom.allergies': 'Nüsse',
        '@custom.origin': 'CI',
        '@participant.country': 'PT',
        '@participant.language': 'pt-BR',
        '@participant.jobTitle': null,
      })
      expect((await rowsOf(email))[0]).toMatchObject({
        country: 'PT',
        language: 'pt-BR',
        job_title: null,
        custom_field_responses: {
          topics: ['art', 'ai'],
          arrival: '2026-09-01',
          years: '12',
          'first-time': false,
          hotline: '+33142685300',
          allergies: 'Nüsse',
          origin: 'CI',
        },
      })
    })
  })

  describe('flow selection of a submitted registration', () => {
    it('selects the first flow that is open to the person if none is named', async () => {
      const email = newEmail()
      await scenario.call('configure_event', {
        sections: { flows: [{ slug: 'attendee', visibleForTags: { type: 'all', required: ['vip'] } }] },
      })
      await scenario.call('publish_event', { acceptWarnings: true })
      expect(await submit(newEmail())).toMatchObject({ status: 'new', flowSlug: 'speakers' })
      // Invited as a member: the invitation's tags open the flow and stay with the registration.
      await scenario.call('add_invite_list_participants', { flowSlug: 'members', rows: [{ email, tags: ['member'] }] })
      expect(await submit(email)).toMatchObject({ status: 'new', flowSlug: 'members' })
      expect((await rowsOf(email))[0]).toMatchObject({ manual_tags: ['member'], tags: ['member'] })
      // The person has the member tag through another registration with this address.
      expect(await submit(email, { ...anna, '@participant.firstName': 'Bernd' })).toMatchObject({ flowSlug: 'members' })
      await scenario.call('configure_event', { sections: { flows: [{ slug: 'attendee', visibleForTags: null }] } })
      await scenario.call('publish_event', { acceptWarnings: true })
      expect(await submit(newEmail())).toMatchObject({ flowSlug: 'attendee' })
    })

    it.each(['members', 'press', 'early', 'late', 'old', 'companions', 'delegations', 'nowhere'])(
      'rejects a submission to the flow %s, which is not open to the person',
      async (flowSlug) => {
        const person = await scenario.signIn(newEmail())
        const refusal = await person.refused('agent_submit_registration', { flowSlug, data: anna })
        expect(refusal).toMatchObject({ code: 'forbidden', message: `Flow ${flowSlug} is not open to this person` })
        expect(refusal.text).toBe(`Flow ${flowSlug} is not open to this person\nFix: call agent_list_flows with {}`)
      },
    )

    it('opens an invite-only flow to people on its invite list', async () => {
      const email = newEmail()
      await scenario.call('add_invite_list_participants', { flowSlug: 'press', rows: [{ email }] })
      expect(await submit(email, anna, { flowSlug: 'press' })).toMatchObject({ status: 'new', flowSlug: 'press' })
    })

    it("accepts an assistant's submission to a flow whose capacity is used up", async () => {
      await scenario.call('configure_event', { sections: { flows: [{ slug: 'crew', capacity: 1 }] } })
      await scenario.call('publish_event', { acceptWarnings: true })
      await scenario.register({}, { flowSlug: 'crew' })
      expect(await submit(newEmail(), anna, { flowSlug: 'crew' })).toMatchObject({ status: 'new', flowSlug: 'crew' })
    })
  })

  it('creates test data in test mode, and then finds only test data submitted earlier', async () => {
    const email = newEmail()
    await submit(email)
    await scenario.call('update_event', { testMode: true })
    expect(await submit(email)).toMatchObject({ status: 'new' })
    expect(await submit(email)).toMatchObject({ status: 'existing_incomplete' })
    expect((await rowsOf(email)).map((row) => row.is_test_data)).toEqual([false, true])
    await scenario.call('update_event', { testMode: false })
    expect(await submit(email)).toMatchObject({ status: 'existing_incomplete' })
  })

  it('rejects a submission if no flow is open or the event has ended', async () => {
    const person = await scenario.signIn(newEmail())
    await scenario.world.database.pool.query(`update events set published_version = null where id = $1`, [scenario.event.eventId])
    expect(await person.refused('agent_submit_registration', { data: anna })).toMatchObject({
      code: 'precondition_failed',
      message: 'No registration is open to this person now',
    })
    await scenario.world.database.pool.query(`update events set published_version = 1, status = 'archived' where id = $1`, [
      scenario.event.eventId,
    ])
    expect((await person.refused('agent_submit_registration', { data: anna })).text).toBe('This event has ended')
  })
})
