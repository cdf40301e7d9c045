import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openFormAs } from '../support/registration-form.ts'
import { openSalesScenario, type SalesScenario, WORKED_EXAMPLE } from '../support/sales-scenario.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { visitor } from '../support/visitor.ts'

let scenario: SalesScenario
let served: Served
const [attendee] = WORKED_EXAMPLE.flows

const sections = {
  ...WORKED_EXAMPLE,
  flows: [
    {
      ...attendee!,
      pages: [
        { ...attendee!.pages[0]!, widgets: [...attendee!.pages[0]!.widgets, { id: 'invite', type: 'inviteCode' }] },
        ...attendee!.pages.slice(1),
      ],
    },
    { ...attendee!, slug: 'press', name: 'Press' },
  ],
}

beforeAll(async () => {
  scenario = await openSalesScenario(sections, { baseUrl: await chooseFreeBaseUrl() })
  served = await serve(scenario.world)
})
afterAll(() => scenario.world.end())

const rows = async (query: string, values: unknown[] = []) => (await scenario.world.database.pool.query<any>(query, values)).rows

/** A person on a form's invitation list, with a personal code. */
async function inviteWithCode(code: string, { flowSlug = 'attendee', tags = ['member'] } = {}) {
  const email = `${code}@example.org`
  await scenario.call('add_invite_list_participants', { flowSlug, rows: [{ email, tags }] })
  await rows(`update invite_list_entries set token_hash = $2 where email = $1 and event_id = $3`, [
    email,
    createHash('sha256').update(code).digest(),
    scenario.event.eventId,
  ])
}

let made = 0
async function started() {
  const email = `attendee-${++made}@example.org`
  const at = openFormAs(visitor(served), scenario.event)
  await at.begin(email)
  const you = { '@participant.firstName': 'Ina', '@participant.lastName': `Nr ${made}` }
  return {
    ...at,
    email,
    apply: (code: string) => at.fill('contact', { ...you, '@invite.code': code }, { press: 'update' }),
    next: (code: string) => at.fill('contact', { ...you, '@invite.code': code }),
  }
}

describe('invitation code', () => {
  it('confirms an invitation code with the Apply button, grants its tags and prices, and uses it up with the registration', async () => {
    await inviteWithCode('good-1')
    const one = await started()
    expect((await one.apply('good-1')).status).toBe(303)
    expect((await one.open('contact')).text).toContain('You are on the invitation list')
    expect((await one.next('good-1')).location).toMatch(/\/choices$/)
    // The member price: 520.00 and 20% tax.
    await one.fill('choices', { '@product.pass': '1', _method: 'bank' })
    expect((await one.open('summary')).text).toContain('€624.00')
    const other = await started()
    expect((await other.next('good-1')).location, 'no registration with it is complete yet').toMatch(/\/choices$/)
    // The registration that entered the code last owns it.
    const lost = await one.fill('summary', {}, { press: 'finish' })
    expect([lost.status, lost.text.includes('This invitation has already been used')]).toEqual([400, true])
    await other.fill('choices', { '@product.pass': '1', _method: 'bank' })
    expect((await other.fill('summary', {}, { press: 'finish' })).location).toMatch(/\/done$/)
    expect(await rows(`select status from invite_list_entries where email = 'good-1@example.org'`)).toEqual([{ status: 'registered' }])
    const late = await started()
    const used = await late.apply('good-1')
    expect([used.status, used.text.includes('This invitation has already been used')]).toEqual([400, true])
  })

  it.each([
    ['nothing-like-it', 'This invitation code is not valid'],
    ['ended', 'This invitation is no longer valid'],
    ['for-press', 'This invitation is for another registration form'],
  ])('shows an error for the invitation code %s and keeps the other answers of the page', async (code, errorText) => {
    if (code === 'ended') {
      await inviteWithCode(code)
      await rows(`update invite_list_entries set status = 'removed' where email = 'ended@example.org'`)
    }
    if (code === 'for-press') await inviteWithCode(code, { flowSlug: 'press' })
    const one = await started()
    for (const send of [one.apply, one.next]) {
      const refused = await send(code)
      expect([refused.status, refused.text.includes(errorText)]).toEqual([400, true])
    }
    expect((await one.open('contact')).text).not.toContain('You are on the invitation list')
    const [{ answers }] = await rows('select answers from participants where email = $1', [one.email])
    expect(answers).not.toHaveProperty('@invite.code')
  })

  it('requires an invitation code if the form makes it mandatory', async () => {
    const one = await started()
    const refused = await one.next('')
    expect([refused.status, refused.text.includes('Enter your invitation code')]).toEqual([400, true])
  })
})
