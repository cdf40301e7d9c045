import { describe, expect, it } from 'vitest'
import { deskScenario } from './desk.ts'

const desk = deskScenario()
const see = (args: object) => desk.call('describe_participant_flow', args)
const DATA = { '@participant.firstName': 'Anna', '@participant.lastName': 'Keller', '@participant.email': 'anna@example.org' }

const bindings = (one: any) => one.missing.map(({ binding }: any) => binding)
const widget = (one: any, binding: string) => one.pages.flatMap((page: any) => page.widgets).find((part: any) => part.binding === binding)
const add = (data: object, more: object = {}) => desk.call('add_participant', { flowSlug: 'attendee', data, ...more })

/** Adds a required question that is shown only to participants with a company. */
async function asksForShirt(): Promise<void> {
  await desk.set([
    {
      op: 'insert',
      path: '/flows/attendee/pages/contact/widgets/w5',
      value: {
        type: 'field',
        binding: '@custom.shirt',
        required: true,
        showWhen: { all: [{ binding: '@participant.company', op: 'isSet' }] },
      },
    },
    {
      op: 'insert',
      path: '/flows/attendee/pages/contact/widgets/w6',
      before: 'w5',
      value: { type: 'field', binding: '@participant.company' },
    },
    {
      op: 'insert',
      path: '/flows/attendee/pages/members',
      after: 'contact',
      value: {
        title: 'Members',
        visibleForTags: { type: 'all', required: ['member'] },
        widgets: [{ id: 'w7', type: 'field', binding: '@custom.club', label: 'Which club?', required: true }],
      },
    },
  ])
  await desk.call('publish_event')
  await desk.world.database.pool.query(`update events set test_mode = false where id = $1`, [desk.event.eventId])
}

describe('describe_participant_flow', () => {
  it('shows a question as visible and missing once an edited answer reveals it', async () => {
    await asksForShirt()
    const { participant } = await add(DATA, { status: 'incomplete' })
    const before = await see({ participantId: participant.id })
    expect(widget(before, '@custom.shirt')).toMatchObject({ visible: false, required: false })
    expect(before.missing).toEqual([])
    await desk.call('edit_participant', { participantId: participant.id, data: { '@participant.company': 'Acme' } })
    const after = await see({ participantId: participant.id })
    expect(widget(after, '@custom.shirt')).toMatchObject({ visible: true, required: true, answered: false })
    expect(after.missing).toEqual([{ binding: '@custom.shirt', label: 'Shirt', page: 'contact' }])
    expect(after.nextPage).toBe('contact')
    expect(widget(after, '@participant.company')).toMatchObject({ answered: true, value: 'Acme' })
  })

  it('reports no missing answers exactly if a submission would succeed', async () => {
    await asksForShirt()
    const base = { ...DATA, '@product.pass': 1 }
    for (const [data, tags] of [
      [base, []],
      [{ ...base, '@participant.email': null }, []],
      [{ ...base, '@participant.company': 'Acme' }, []],
      [{ ...base, '@participant.company': 'Acme', '@custom.shirt': 'm' }, []],
      [{ ...base, '@participant.company': 'Acme', '@custom.shirt': 'xxl' }, []],
      [base, ['member']],
      [{ ...base, '@custom.club': 'Süd' }, ['member']],
      [{ ...base, '@product.dinner': 6 }, []],
      [{ ...base, '@product.dinner': 5 }, []],
    ] as const) {
      const { missing } = await see({ flowSlug: 'attendee', asTags: tags, answers: data })
      const submitted = await desk.olga.answer('add_participant', {
        eventCode: desk.event.eventCode,
        flowSlug: 'attendee',
        data,
        tags,
        dryRun: true,
      })
      expect({ data, tags, passes: missing.length === 0 }).toEqual({ data, tags, passes: !submitted.isError })
    }
  })

  it('explains why a page is hidden, and shows it to participants with the tag', async () => {
    await asksForShirt()
    const others = await see({ flowSlug: 'attendee' })
    expect(others.pages.find(({ code }: any) => code === 'members')).toMatchObject({
      visible: false,
      why: 'only for participants with the tags member',
    })
    const members = await see({ flowSlug: 'attendee', asTags: ['member'], answers: DATA })
    expect(members.pages.map(({ visible }: any) => visible)).toEqual([true, true, true, true, true])
    expect(bindings(members)).toEqual(['@custom.club'])
    expect(widget(members, '@custom.club')).toMatchObject({ label: 'Which club?', required: true })
  })

  it('counts an invalid answer as missing and returns its validation error', async () => {
    const one = await see({ flowSlug: 'attendee', answers: { ...DATA, '@participant.email': 'nowhere' } })
    expect(bindings(one)).toEqual(['@participant.email'])
    expect(widget(one, '@participant.email').errors).toEqual(['Enter an email address such as name@example.org.'])
  })

  it('shows products with price, remaining capacity and selected quantity', async () => {
    const { products } = await see({ flowSlug: 'attendee', answers: { ...DATA, '@product.dinner': 2 } })
    expect(products).toEqual([
      { code: 'pass', price: { amount: '750.00', currency: 'EUR' }, available: 100, selected: 0 },
      { code: 'dinner', price: { amount: '89.00', currency: 'EUR' }, available: null, selected: 2 },
    ])
    await desk.world.database.pool.query(`update inventory set sold = 100 where event_id = $1 and key = 'product:pass'`, [
      desk.event.eventId,
    ])
    expect((await see({ flowSlug: 'attendee' })).products[0]).toMatchObject({ available: 0, reason: 'it is sold out' })
  })

  it('shows the products of a participant whose registration is complete', async () => {
    await asksForShirt()
    const { participant } = await add({ ...DATA, '@product.dinner': 2 })
    const one = await see({ participantId: participant.email })
    expect(one.missing).toEqual([])
    expect(one.products.find(({ code }: any) => code === 'dinner').selected).toBe(2)
  })

  it('hides answers from users without permission to read personal data', async () => {
    const ana = await desk.world.organizer({ at: desk.event, role: 'analyst' })
    const id = await desk.person({ status: 'incomplete', flow_slug: 'attendee', first_name: 'Secretive' })
    const one = await ana.call('describe_participant_flow', { eventCode: desk.event.eventCode, participantId: id })
    expect(widget(one, '@participant.firstName')).toMatchObject({ answered: true })
    expect(JSON.stringify(one)).not.toContain('Secretive')
  })

  it('returns a link to finish only for an incomplete registration, and only to users who can change it', async () => {
    const [open, done] = [await desk.person({ status: 'incomplete', flow_slug: 'attendee' }), await desk.person({ flow_slug: 'attendee' })]
    expect((await see({ participantId: open })).url).toMatch(/attendee\?token=/)
    expect(await see({ participantId: done })).not.toHaveProperty('url')
    expect(await see({ flowSlug: 'attendee' })).not.toHaveProperty('url')
    const ana = await desk.world.organizer({ at: desk.event, role: 'analyst' })
    const described = await ana.call('describe_participant_flow', { eventCode: desk.event.eventCode, participantId: open })
    expect(described).not.toHaveProperty('url')
  })

  it('describes the draft version of a flow on request', async () => {
    await desk.set([{ op: 'set', path: '/flows/attendee/pages/contact/title', value: 'New title' }])
    expect((await see({ flowSlug: 'attendee', draft: true })).pages[0].title).toBe('New title')
  })

  it('rejects describe_participant_flow with both or neither of participantId and flowSlug, or with unknown names', async () => {
    const refused = (args: object) => desk.refused('describe_participant_flow', args)
    expect((await refused({})).fields!.map(({ path }) => path)).toEqual(['participantId', 'flowSlug'])
    const id = await desk.person()
    expect((await refused({ participantId: id, flowSlug: 'attendee' })).code).toBe('invalid_arguments')
    expect((await refused({ participantId: id, asTags: ['vip'] })).fields![0]!.path).toBe('asTags')
    const { fields } = await refused({ flowSlug: 'attendee', asTags: ['vp'], answers: { '@custom.shrt': 'm' } })
    expect(fields!.map(({ path }) => path)).toEqual(['asTags[0]', 'answers.@custom.shrt'])
    expect((await refused({ flowSlug: 'atendee' })).fields![0]!.allowed).toEqual(['attendee'])
  })
})
