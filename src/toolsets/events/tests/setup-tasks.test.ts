import { describe, expect, it } from 'vitest'
import { draftStory } from '../../../../test/support/draft-story.ts'

const story = draftStory()

interface Task {
  code: string
  state: string
  why: string
  blockedBy: string[]
}

const ask = (more: object = {}) => story.call('get_setup_tasks', { ...more })
const taskOf = async (code: string): Promise<Task> => ((await ask()).tasks as Task[]).find((task) => task.code === code)!
const set = (path: string, value: unknown, op = 'set') => story.set([{ op, path, value }])

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
  it('begins with no flow, which a rehearsal waits for', async () => {
    expect(await taskOf('flow.exists')).toMatchObject({ state: 'todo', blockedBy: [] })
    expect(await taskOf('flow.rehearsed')).toMatchObject({ state: 'blocked', blockedBy: ['flow.exists', 'flow.valid'] })
    expect((await ask()).readyToPublish).toBe(false)
  })

  it('sees a flow as soon as it is there, and what the review says of it', async () => {
    await set('/details/contactEmail', 'team@example.org')
    await set('/flows/attendee', FLOW, 'insert')
    expect((await taskOf('flow.exists')).state).toBe('done')
    expect((await taskOf('flow.valid')).state).toBe('done')
    expect((await taskOf('flow.reviewed')).state).toBe('done')
    expect((await taskOf('flow.rehearsed')).state).toBe('todo')
    await set('/flows/attendee/pages/contact/widgets', [])
    expect(await taskOf('flow.reviewed')).toMatchObject({ state: 'todo', why: expect.stringMatching(/^F01 /) })
  })

  it('counts what is done among what is needed', async () => {
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

  it('follows publishing and test mode', async () => {
    await set('/details/contactEmail', 'team@example.org')
    await set('/flows/attendee', FLOW, 'insert')
    expect((await taskOf('publish.current')).state).toBe('blocked')
    await story.call('publish_event', {})
    expect((await taskOf('publish.current')).state).toBe('done')
    await set('/details/capacity', 100)
    expect((await taskOf('publish.current')).state).toBe('todo')
    expect((await taskOf('testmode.off')).state).toBe('todo')
    await story.call('update_event', { testMode: false })
    expect((await taskOf('testmode.off')).state).toBe('done')
  })

  it('asks for money matters only when something costs money', async () => {
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
    await story.olga.call('update_client', { clientCode: story.event.clientCode, billing: { bankDetails: 'DE00 1234' } })
    expect((await taskOf('payment.provider')).state).toBe('done')
    await set('/products/adm/prices', [{ amount: '450.00', from: '2027-05-01' }])
    expect((await taskOf('catalog.products')).state).toBe('todo')
  })

  it('counts a second person who can change it', async () => {
    expect(await taskOf('basics.staff')).toMatchObject({ state: 'todo', evidence: '1 person with events.write' })
    await story.call('assign_event_staff', { email: 'second@example.org', name: 'Second', role: 'manager' })
    expect((await taskOf('basics.staff')).state).toBe('done')
  })

  it('refuses an unknown section with the list of them', async () => {
    const { code, fields } = await story.refused('get_setup_tasks', { section: 'flows' })
    expect(code).toBe('invalid_arguments')
    expect(fields?.[0]?.allowed).toContain('flow')
  })
})
