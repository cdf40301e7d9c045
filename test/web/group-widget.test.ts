import { beforeAll, describe, expect, it } from 'vitest'
import { useGroupScenario, ACME_PRICING } from '../support/group-scenario.ts'
import { eventHomePath } from '../support/own-pages.ts'
import { openFormAs } from '../support/registration-form.ts'
import { freeBaseUrl, serve, type Served } from '../support/server.ts'
import { visitor } from '../support/visitor.ts'

const [attendee] = ACME_PRICING.flows
const [contact, ...others] = attendee!.pages
const flow = (slug: string, group: object) => ({
  ...attendee!,
  slug,
  name: slug,
  pages: [{ ...contact!, widgets: [...contact!.widgets, { id: 'group', type: 'group', ...group }] }, ...others],
})

const scenario = useGroupScenario(
  { ...ACME_PRICING, flows: [attendee!, flow('join', {}), flow('create', { mode: 'create' }), flow('both', { mode: 'both' })] },
  { baseUrl: await freeBaseUrl() },
)
let served: Served
beforeAll(async () => {
  served = await serve(scenario.world)
})

let made = 0
const at = async (slug: string) => {
  const who = openFormAs(visitor(served), scenario.event, slug)
  const email = `widget-${++made}@example.org`
  await who.begin(email)
  const names = { '@participant.firstName': 'Wim', '@participant.lastName': `Widget ${made}` }
  return { ...who, email, names }
}
const rowOf = async (email: string) =>
  (
    await scenario.world.database.pool.query<any>(
      `select p.*, g.code from participants p left join managed_groups g on g.id = p.group_id where p.email = $1`,
      [email],
    )
  ).rows[0]

describe('group question of a registration form', () => {
  it('adds the participant to the group by the group’s code, at the group’s price and on the group’s order', async () => {
    const { code } = await scenario.group({ name: 'Acme by code' })
    const wim = await at('join')
    expect((await wim.fill('contact', wim.names)).text).toContain('Enter your group code')
    const unknown = await wim.fill('contact', { ...wim.names, '@group.code': 'nowhere' })
    expect(unknown.status).toBe(400)
    expect(unknown.text).toContain('There is no group with this code')
    expect((await wim.fill('contact', { ...wim.names, '@group.code': code.toUpperCase() })).location).toMatch(/\/choices$/)
    expect((await wim.open('choices')).text).toContain('€400.00')
    await wim.fill('choices', { '@product.pass': '1' })
    expect((await wim.open('summary')).text).toContain('Your group pays this.')
    expect((await wim.fill('summary', {}, { press: 'finish' })).location).toMatch(/\/done$/)
    expect(await rowOf(wim.email)).toMatchObject({ status: 'complete', code, tags: ['acme'], group_leader: false })
    expect((await scenario.getGroup(code)).order).toMatchObject({ total: { amount: '480.00' } })
  })

  it('reports a closed or full group when the code is entered, and a group that filled up later', async () => {
    const shut = await scenario.group({ name: 'Shut by code' })
    await scenario.call('update_managed_group', { groupCode: shut.code, status: 'closed' })
    const small = await scenario.group({ name: 'One seat', maxMembers: 1 })
    const [wim, ann] = [await at('join'), await at('join')]
    expect((await wim.fill('contact', { ...wim.names, '@group.code': shut.code })).text).toContain('This group does not accept new members')
    for (const one of [wim, ann]) {
      await one.fill('contact', { ...one.names, '@group.code': small.code })
      await one.fill('choices', { '@product.pass': '1' })
    }
    expect((await wim.fill('summary', {}, { press: 'finish' })).location).toMatch(/\/done$/)
    const late = await ann.fill('summary', {}, { press: 'finish' })
    expect(late.status).toBe(400)
    expect((await rowOf(ann.email)).status).toBe('incomplete')
    const third = await at('join')
    expect((await third.fill('contact', { ...third.names, '@group.code': small.code })).text).toContain('This group is full')
  })

  it('creates a new group, which the participant leads', async () => {
    const wim = await at('create')
    expect((await wim.fill('contact', wim.names)).text).toContain('Enter your new group name')
    await wim.fill('contact', { ...wim.names, '@group.name': 'Friends of Wim' })
    await wim.fill('choices', { '@product.pass': '1' })
    expect((await wim.fill('summary', {}, { press: 'finish' })).location).toMatch(/\/done$/)
    expect(await rowOf(wim.email)).toMatchObject({ code: 'friends-of-wim', group_leader: true })
    const home = eventHomePath(scenario.event)
    expect((await wim.who.get(`${home}/registration`)).html).toContain(`href="${home}/group/friends-of-wim"`)
    const group = await wim.who.get(`${home}/group/friends-of-wim`)
    expect(group.text).toContain('Each member pays individually.')
    expect((await wim.who.post(`${home}/group/friends-of-wim/invite`, { emails: 'friend@example.org' })).location).toContain('sent=1')
  })

  it('requires either a code or a name for a new group', async () => {
    const { code } = await scenario.group({ name: 'Either' })
    const wim = await at('both')
    expect((await wim.fill('contact', wim.names)).text).toContain('Enter the code of your group, or a name for a new group')
    const both = await wim.fill('contact', { ...wim.names, '@group.code': code, '@group.name': 'Mine' })
    expect(both.status).toBe(400)
    expect(both.text).toContain('not both')
    expect((await wim.fill('contact', { ...wim.names, '@group.code': '', '@group.name': 'Mine' })).location).toMatch(/\/choices$/)
  })
})
