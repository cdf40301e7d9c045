import { describe, expect, it } from 'vitest'
import { rehearseFlowJob } from '../../../domains/rehearsals/rehearse.ts'
import type { Job } from '../../../kernel/jobs.ts'
import { createJobRunner } from '../../../surfaces/worker/run-jobs.ts'
import { useDraftScenario } from '../../../../test/support/draft-scenario.ts'

const scenario = useDraftScenario()

interface Task {
  code: string
  state: string
  blocks: string
  tools: string[]
  paths: string[]
  why: string
  blockedBy: string[]
}

const ask = (more: object = {}) => scenario.call('get_setup_tasks', { ...more })
const taskOf = async (code: string): Promise<Task> => ((await ask()).tasks as Task[]).find((task) => task.code === code)!
const set = (path: string, value: unknown, op = 'set') => scenario.set([{ op, path, value }])

/** Runs a test run to its end. */
async function rehearse(at: (tool: string, args?: object) => Promise<any>): Promise<void> {
  const { jobId } = await at('rehearse_flow', { flowSlug: 'attendee' })
  await createJobRunner(scenario.world.services)(rehearseFlowJob as Job, { tenantId: scenario.event.tenantId, jobId })
}

const FLOW = {
  name: 'Attendee',
  pages: [
    {
      code: 'contact',
      title: 'You',
      widgets: [
        { id: 'name', type: 'name' },
        { id: 'email', type: 'field', binding: '@participant.email', required: true },
      ],
    },
    { code: 'done', title: 'Done', widgets: [{ id: 'thanks', type: 'confirmation', body: 'Thanks' }] },
  ],
}

describe('get_setup_tasks', () => {
  it('reports for a new event that it has no flow, which blocks publishing', async () => {
    expect(await taskOf('flow.exists')).toMatchObject({ state: 'todo', blocks: 'open', blockedBy: [] })
    expect(await taskOf('publish.first')).toMatchObject({ state: 'blocked', blocks: 'open', blockedBy: ['flow.exists', 'flow.valid'] })
    expect((await ask()).readyToPublish).toBe(false)
  })

  it('includes the review findings of a newly added flow', async () => {
    await set('/details/contactEmail', 'team@example.org')
    await set('/flows/attendee', FLOW, 'insert')
    expect((await taskOf('flow.exists')).state).toBe('done')
    expect((await taskOf('flow.valid')).state).toBe('done')
    expect((await taskOf('flow.reviewed')).state).toBe('done')
    await set('/flows/attendee/pages/contact/widgets', [])
    expect(await taskOf('flow.reviewed')).toMatchObject({ state: 'todo', why: expect.stringMatching(/^F01 /) })
  })

  it('requires a test run of each flow after its last change', async () => {
    expect(await taskOf('flow.rehearsed')).toMatchObject({ state: 'blocked', blocks: 'open', blockedBy: ['flow.exists'] })
    await set('/details/contactEmail', 'team@example.org')
    await set('/flows/attendee', FLOW, 'insert')
    expect(await taskOf('flow.rehearsed')).toMatchObject({ state: 'todo', why: 'attendee was never tested' })
    await rehearse(scenario.call)
    expect(await taskOf('flow.rehearsed')).toMatchObject({ state: 'done' })
    const { draftRevision } = await scenario.call('get_flow_rehearsal')
    await set('/flows/attendee/pages/contact/title', 'Who are you?')
    expect(await taskOf('flow.rehearsed')).toMatchObject({ state: 'todo', why: `attendee changed since revision ${draftRevision}` })
  })

  it('counts how many of the setup tasks that the event needs are completed', async () => {
    const { tasks, summary } = await ask()
    const count = (state: string) => (tasks as Task[]).filter((task) => task.state === state).length
    expect(summary).toEqual({
      done: count('done'),
      todo: count('todo'),
      blocked: count('blocked'),
      notNeeded: count('notNeeded'),
      percent: Math.round((100 * count('done')) / (count('done') + count('todo') + count('blocked'))),
    })
    expect((await ask({ onlyOpen: true })).tasks).toHaveLength(summary.todo + summary.blocked)
    expect((await ask({ section: 'flow' })).tasks.map((task: Task) => task.code)).toEqual([
      'flow.exists',
      'flow.valid',
      'flow.reviewed',
      'flow.rehearsed',
    ])
  })

  it('updates the setup tasks when the event is published and when it leaves test mode', async () => {
    await set('/details/contactEmail', 'team@example.org')
    await set('/flows/attendee', FLOW, 'insert')
    expect((await taskOf('publish.current')).state).toBe('blocked')
    await scenario.call('publish_event', {})
    expect((await taskOf('publish.current')).state).toBe('done')
    await set('/details/capacity', 100)
    expect((await taskOf('publish.current')).state).toBe('todo')
    expect((await taskOf('testmode.off')).state).toBe('todo')
    await scenario.call('update_event', { testMode: false })
    expect((await taskOf('testmode.off')).state).toBe('done')
  })

  it('lists payment tasks only if a product has a price', async () => {
    expect((await taskOf('payment.provider')).state).toBe('notNeeded')
    await set('/products/adm', { name: 'Admission', category: 'admission', prices: [{ amount: '450.00' }] }, 'insert')
    await set(
      '/flows/attendee',
      { ...FLOW, pages: [{ code: 'shop', title: 'Shop', widgets: [{ id: 'p', type: 'products', products: ['adm'] }] }, ...FLOW.pages] },
      'insert',
    )
    expect(await taskOf('payment.provider')).toMatchObject({
      state: 'todo',
      why: 'invoices have no bank details; set billing with update_client',
    })
    expect(await taskOf('catalog.taxes')).toMatchObject({ state: 'todo' })
    await scenario.olga.call('update_client', { clientCode: scenario.event.clientCode, billing: { bankDetails: 'DE00 1234' } })
    expect((await taskOf('payment.provider')).state).toBe('done')
    await set('/products/adm/prices', [{ amount: '450.00', from: '2027-05-01' }])
    expect((await taskOf('catalog.products')).state).toBe('todo')
  })

  it('names an existing tool for every task that a tool can complete', async () => {
    const { tasks } = (await ask({ onlyOpen: true })) as { tasks: Task[] }
    expect(tasks.length).toBeGreaterThan(5)
    expect(tasks.filter(({ tools }) => tools.length === 0)).toEqual([])
    expect(tasks.flatMap(({ tools }) => tools).filter((tool) => !scenario.world.tools.has(tool))).toEqual([])
  })

  it('reports an event as ready to open once all setup tasks that block it are completed', async () => {
    const { event } = await scenario.olga.call('create_event', {
      clientCode: scenario.event.clientCode,
      name: 'Ready',
      startsOn: '2027-05-12',
      endsOn: '2027-05-14',
    })
    const at = (tool: string, args: object = {}) => scenario.olga.call(tool, { eventCode: event.code, ...args })
    const before = await at('get_setup_tasks', { onlyOpen: true })
    expect(before).toMatchObject({ readyToPublish: true, readyToOpen: false, open: [] })
    expect(before.tasks.filter((task: Task) => task.blocks !== 'nothing').map(({ code }: Task) => code)).toEqual([
      'flow.rehearsed',
      'publish.first',
      'publish.current',
      'testmode.off',
    ])
    await rehearse(at)
    await at('publish_event')
    expect(await at('get_setup_tasks')).toMatchObject({ readyToOpen: false, open: [{ slug: 'attendee' }] })
    await at('update_event', { testMode: false })
    const ready = await at('get_setup_tasks', { onlyOpen: true })
    expect(ready).toMatchObject({ readyToOpen: true, open: [{ slug: 'attendee' }] })
    expect(ready.tasks.map((task: Task) => task.blocks)).toEqual(ready.tasks.map(() => 'nothing'))
  })

  it('lists the flows that accept registrations now, according to the live version', async () => {
    await set('/details/contactEmail', 'team@example.org')
    for (const [slug, times] of Object.entries({
      open: {},
      closing: { closesAt: '2027-05-01T00:00:00.000Z' },
      later: { opensAt: '2027-04-01T00:00:00.000Z' },
      over: { closesAt: '2020-01-01T00:00:00.000Z' },
      gone: { retired: true },
    })) {
      await set(`/flows/${slug}`, { ...FLOW, name: slug, ...times }, 'insert')
    }
    expect((await ask()).open).toEqual([])
    await scenario.call('publish_event', {})
    await set('/flows/open/retired', true)
    expect((await ask({ onlyOpen: true })).open).toEqual([{ slug: 'open' }, { slug: 'closing', closesAt: '2027-05-01T00:00:00.000Z' }])
  })

  it('reports a missing contact email as a task that blocks publishing, but not a missing venue', async () => {
    expect(await taskOf('basics.details')).toMatchObject({ state: 'todo', blocks: 'publish' })
    await set('/details/contactEmail', 'team@example.org')
    expect(await taskOf('basics.details')).toMatchObject({ state: 'todo', blocks: 'nothing', why: 'missing: venue or website' })
  })

  it('refers to the payment widgets of the flow if cards are offered', async () => {
    await set('/products/adm', { name: 'Admission', category: 'admission', prices: [{ amount: '450.00' }] }, 'insert')
    const shop = { code: 'shop', title: 'Shop', widgets: [{ id: 'p', type: 'products', products: ['adm'] }] }
    const pay = { code: 'pay', title: 'Pay', widgets: [{ id: 'pay', type: 'payment', methods: ['card', 'bank'] }] }
    await set('/flows/attendee', { ...FLOW, pages: [shop, pay, ...FLOW.pages] }, 'insert')
    const methods = '/flows/attendee/pages/pay/widgets/pay/methods'
    expect(await taskOf('payment.provider')).toMatchObject({ state: 'todo', blocks: 'open', tools: ['config_set'], paths: [methods] })
    await set(methods, ['bank'])
    expect(await taskOf('payment.provider')).toMatchObject({ state: 'todo', tools: ['update_client'], paths: [] })
    await set(methods, ['onsite', 'cheque'])
    expect(await taskOf('payment.provider')).toMatchObject({ state: 'done' })
  })

  it('completes the setup task of adding a second user once another user can change the event', async () => {
    expect(await taskOf('basics.staff')).toMatchObject({ state: 'todo', evidence: '1 person with events.write' })
    await scenario.call('assign_event_staff', { email: 'second@example.org', name: 'Second', role: 'manager' })
    expect((await taskOf('basics.staff')).state).toBe('done')
  })

  it('rejects an unknown section of setup tasks and lists the existing sections', async () => {
    const { code, fields } = await scenario.refused('get_setup_tasks', { section: 'flows' })
    expect(code).toBe('invalid_arguments')
    expect(fields?.[0]?.allowed).toContain('flow')
  })
})
