import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ACME_PRICING, memberEntries } from '../support/group-scenario.ts'
import { newAttendee, openSalesScenario, type SalesScenario } from '../support/sales-scenario.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { readFieldValue } from '../support/visitor.ts'
import { ConsoleBrowser } from './console-browser.ts'

let scenario: SalesScenario
let served: Served
let olga: ConsoleBrowser
let base: string

const NEW_GROUP = { name: 'University of Zagreb', kind: 'delegation', payBy: 'group', seats: '4', flowSlug: 'attendee' }
const ZAGREB = () => `${base}/groups/university-of-zagreb`
const send = (path: string, fields: Record<string, string>, from = path) => olga.submit(from, path, fields)
const detailsOf = (groupCode: string) => scenario.call('list_managed_groups', { groupCode, limit: 100 })
const memberNames = async (groupCode: string) => (await detailsOf(groupCode)).members.map(({ name }: { name: string }) => name).toSorted()
const register = (firstName: string, products: Record<string, number> = {}) =>
  scenario.register(products, {
    data: {
      '@participant.firstName': firstName,
      '@participant.lastName': 'Kovač',
      '@participant.email': `${firstName.toLowerCase()}@mef.example`,
    },
  })
const invitations = () => scenario.queryNumber(`select count(*)::int as figure from group_invites`)

beforeAll(async () => {
  scenario = await openSalesScenario(ACME_PRICING, { baseUrl: await chooseFreeBaseUrl() })
  served = await serve(scenario.world)
  olga = await new ConsoleBrowser(served).enter(scenario.world, scenario.olga)
  base = `/console/events/${scenario.event.clientCode}/${scenario.event.eventCode}`
})
afterAll(() => scenario.world.end())

describe('participant groups in the console', () => {
  it('creates a group with admins, and rejects an incomplete form without losing the input', async () => {
    expect((await olga.get(`${base}/groups`)).text).toContain('No groups yet')
    const path = `${base}/groups/new`
    const wrong = await send(path, { ...NEW_GROUP, admins: 'not-an-address' })
    expect([wrong.status, wrong.text.includes('Admins:'), readFieldValue(wrong.html, 'name')]).toEqual([400, true, NEW_GROUP.name])
    const done = await send(path, { ...NEW_GROUP, admins: 'office@mef.example Ana Office', email: 'office@mef.example' })
    expect([done.status, done.location]).toEqual([303, `${ZAGREB()}?done=saved`])
    expect(await detailsOf('university-of-zagreb')).toMatchObject({
      groups: [{ kind: 'delegation', payBy: 'group', maxMembers: 4 }],
      admins: [{ email: 'office@mef.example', name: 'Ana Office' }],
    })
    const page = await olga.get(ZAGREB())
    for (const words of ['University of Zagreb', 'Delegation · the group pays', 'of 4 seats', 'Nothing is billed yet', 'Ana Office'])
      expect(page.text).toContain(words)
  })

  it('adds registered people and their unpaid orders to a group exactly as the dry run announced', async () => {
    await register('Ana', { pass: 1 })
    await register('Davor')
    const path = `${ZAGREB()}/members`
    const fields = { action: 'add', people: 'ana@mef.example\ndavor@mef.example', moveOrders: 'on' }
    const unknown = await send(path, { ...fields, people: 'nobody@mef.example' }, ZAGREB())
    expect([unknown.status, readFieldValue(unknown.html, 'people'), await memberNames('university-of-zagreb')]).toEqual([
      400,
      'nobody@mef.example',
      [],
    ])
    const preview = await send(path, fields, ZAGREB())
    for (const words of ['which then has 2 of 4 members', '1 unpaid order moves to the group’s bill', 'Add 2 people'])
      expect(preview.text).toContain(words)
    expect(await memberNames('university-of-zagreb')).toEqual([])
    const done = await send(path, { ...fields, sure: 'yes' }, ZAGREB())
    expect([done.status, await memberNames('university-of-zagreb')]).toEqual([303, ['Ana Kovač', 'Davor Kovač']])
    const { order } = await detailsOf('university-of-zagreb')
    const page = await olga.get(ZAGREB())
    expect(page.text).toContain(`Bill ${order.number}`)
    const link = /href="([^"]*\/invoices\/[^"]+\.pdf)"/.exec(page.html)![1]!
    const pdf = await olga.get(link)
    expect([pdf.status, pdf.headers.get('content-type')]).toEqual([200, 'application/pdf'])
    const list = await olga.get(`${base}/groups`)
    expect(list.text).toMatch(/University of Zagreb Delegation 2 of 4 seats \d+\.00 \d+\.00/)
    // Adding the same people again changes nothing.
    expect((await send(path, fields, ZAGREB())).text).toContain('These people are already in the group.')
  })

  it('makes a group member a leader, and a leader a member', async () => {
    const { members } = await detailsOf('university-of-zagreb')
    const { participantId } = members.find(({ name }: { name: string }) => name === 'Ana Kovač')
    const page = `${ZAGREB()}/members/${participantId}`
    const path = `${ZAGREB()}/members`
    expect((await olga.get(page)).text).toContain('Make a leader')
    await send(path, { action: 'leader', participantId }, page)
    expect((await detailsOf('university-of-zagreb')).leaders).toHaveLength(1)
    expect((await olga.get(page)).text).toContain('Make a member')
    await send(path, { action: 'no-leader', participantId }, page)
    expect((await detailsOf('university-of-zagreb')).leaders).toHaveLength(0)
  })

  it('moves a member to another group completely or not at all', async () => {
    const other = await scenario.call('create_managed_group', {
      name: 'Cardia Systems',
      kind: 'company',
      payBy: 'members',
      flowSlug: 'attendee',
      maxMembers: 1,
    })
    const { members } = await detailsOf('university-of-zagreb')
    const of = (wanted: string) => members.find(({ name }: { name: string }) => name === wanted).participantId
    const path = `${ZAGREB()}/members`
    const fields = { action: 'move', participantId: of('Davor Kovač'), to: other.group.code }
    const preview = await send(path, fields, ZAGREB())
    expect(preview.text).toContain('leaves University of Zagreb and joins Cardia Systems')
    await send(path, { ...fields, sure: 'yes' }, ZAGREB())
    expect([await memberNames('university-of-zagreb'), await memberNames(other.group.code)]).toEqual([['Ana Kovač'], ['Davor Kovač']])
    // The other group is full now, so that the member must stay where they are.
    const full = await send(path, { ...fields, participantId: of('Ana Kovač'), sure: 'yes' }, ZAGREB())
    expect([full.status, await memberNames('university-of-zagreb')]).toEqual([400, ['Ana Kovač']])
    expect((await send(path, { ...fields, to: 'nothing' }, ZAGREB())).status).toBe(404)
  })

  it('shows how many group invitations will be sent, and then sends each once', async () => {
    const path = `${ZAGREB()}/invites`
    const wrong = await send(path, { emails: 'x' }, ZAGREB())
    expect([wrong.status, wrong.text.includes('Email addresses:')]).toEqual([400, true])
    const fields = { emails: 'marko@mef.example\ntea@mef.example\nana@mef.example' }
    const preview = await send(path, fields, ZAGREB())
    for (const words of ['2 emails are sent with a personal link', '1 person already in the group is skipped', 'Send 2 invitations'])
      expect(preview.text).toContain(words)
    expect(await invitations()).toBe(0)
    const confirmToken = readFieldValue(preview.html, 'confirmToken')!
    const done = await send(path, { ...fields, confirmToken }, ZAGREB())
    expect([done.status, await invitations()]).toEqual([303, 2])
    const again = await send(path, { ...fields, confirmToken }, ZAGREB())
    expect([again.status, again.text.includes('2 people with an open invitation are skipped'), await invitations()]).toEqual([400, true, 2])
    const resend = await send(path, { emails: 'tea@mef.example', role: 'member', resend: 'on' }, ZAGREB())
    expect(resend.text).toContain('The link in the earlier email stops working.')
    expect((await olga.get(ZAGREB())).text).toContain('2 invited')
  })

  it('removes a group member, and cancels the registration only on request', async () => {
    await scenario.call('update_managed_group_members', { groupCode: 'university-of-zagreb', add: memberEntries(1) })
    const { members } = await detailsOf('university-of-zagreb')
    const [ana, other] = members.toSorted((a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1))
    const path = `${ZAGREB()}/members`
    const preview = await send(path, { action: 'remove', participantId: ana.participantId }, ZAGREB())
    expect(preview.text).toContain('the group still pays for what was bought')
    await send(path, { action: 'remove', participantId: ana.participantId, sure: 'yes' }, ZAGREB())
    const fields = { action: 'remove', participantId: other.participantId, cancel: 'yes' }
    expect((await send(path, fields, ZAGREB())).text).toContain('is cancelled, with a refund by the refund terms')
    await send(path, { ...fields, sure: 'yes' }, ZAGREB())
    const statusOf = async (id: string) => (await scenario.call('get_participant', { participantId: id })).participant.status
    expect([await statusOf(ana.participantId), await statusOf(other.participantId)]).toEqual(['complete', 'cancelled'])
    const repeated = await send(path, { action: 'remove', participantId: ana.participantId, sure: 'yes' }, ZAGREB())
    expect(repeated.status).toBe(404)
  })

  it('removes the company and the email from the billing address of a group when their fields are emptied', async () => {
    const created = await send(`${base}/groups/new`, {
      ...NEW_GROUP,
      name: 'Billed office',
      company: 'Old Ltd',
      email: 'bills@mef.example',
    })
    const here = created.location!.split('?')[0]!
    const billTo = async () => (await detailsOf('billed-office')).groups[0].billTo
    await scenario.call('update_managed_group', { groupCode: 'billed-office', billTo: { city: 'Split' } })
    const save = async (fields: Record<string, string>) => {
      const revision = readFieldValue((await olga.get(`${here}/edit`)).html, 'revision')!
      return send(`${here}/edit`, { ...NEW_GROUP, status: 'open', name: 'Billed office', admins: '', sure: 'yes', revision, ...fields })
    }
    expect((await save({ company: '', email: 'bills@mef.example' })).status).toBe(303)
    expect(await billTo()).toEqual({ email: 'bills@mef.example', city: 'Split' })
    expect((await save({ company: 'New Ltd', email: ' ' })).status).toBe(303)
    expect(await billTo()).toEqual({ company: 'New Ltd', city: 'Split' })
    await send(`${base}/groups/new`, { ...NEW_GROUP, name: 'No address', company: '', email: '' })
    expect((await detailsOf('no-address')).groups[0].billTo).toEqual({})
  })

  it('edits only the current revision of a group, and deletes a group after a dry run', async () => {
    const created = await send(`${base}/groups/new`, { ...NEW_GROUP, name: 'Cancelled plan', payBy: 'members', admins: '' })
    const here = created.location!.split('?')[0]!
    const form = await olga.get(`${here}/edit`)
    const revision = readFieldValue(form.html, 'revision')!
    const fields = { ...NEW_GROUP, payBy: 'members', name: 'Closed plan', status: 'closed', admins: 'ivo@mef.example Ivo', revision }
    expect((await send(`${here}/edit`, fields)).status).toBe(303)
    const late = await send(`${here}/edit`, { ...fields, name: 'Other' })
    expect([late.status, late.text.includes('Another user changed this group')]).toEqual([400, true])
    expect((await olga.get(here)).text).toContain('Closed plan')
    // Who pays, the billing address and access of admins are confirmed first.
    const current = readFieldValue((await olga.get(`${here}/edit`)).html, 'revision')!
    const paying = { ...fields, payBy: 'group', company: 'Plan Ltd', admins: 'mara@mef.example Mara', revision: current }
    const asked = await send(`${here}/edit`, paying)
    for (const effect of ['The group pays from now on', 'Future invoices go to Plan Ltd', 'ivo@mef.example can no longer manage the group'])
      expect(asked.text).toContain(effect)
    expect(await detailsOf('cancelled-plan')).toMatchObject({ groups: [{ payBy: 'members', billTo: {} }], admins: [{ name: 'Ivo' }] })
    expect((await send(`${here}/edit`, { ...paying, sure: 'yes' })).status).toBe(303)
    expect(await detailsOf('cancelled-plan')).toMatchObject({
      groups: [{ payBy: 'group', billTo: { company: 'Plan Ltd' } }],
      admins: [{ name: 'Mara' }],
    })
    expect((await send(`${here}/edit`, { ...paying, payBy: 'members', revision: current, sure: 'yes' })).status).toBe(400)
    expect((await send(`${here}/invites`, { emails: 'x@mef.example' }, here)).text).toContain('is closed')
    expect((await send(`${here}/delete`, { confirmToken: 'x' })).status).toBe(400)
    const preview = await olga.get(`${here}/delete`)
    expect(preview.text).toContain('The group is deleted. This cannot be undone.')
    const done = await send(`${here}/delete`, { confirmToken: readFieldValue(preview.html, 'confirmToken')! })
    expect([done.status, (await olga.get(here)).status]).toEqual([303, 404])
    // A group with an open bill cannot be deleted, and the page gives the reason.
    await scenario.call('update_managed_group_members', {
      groupCode: 'university-of-zagreb',
      add: [{ data: newAttendee({ '@product.pass': 1 }) }],
    })
    const owing = await olga.get(`${ZAGREB()}/delete`)
    expect([owing.status, owing.text.includes('Record the payment or write it off'), owing.html.includes('confirmToken')]).toEqual([
      200,
      true,
      false,
    ])
  })
})
