import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { OFFICIAL_CLIENTS } from '../support/official-clients.ts'
import { ORGANIZER_PATH } from '../support/rpc.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { newWorld, type World } from '../support/world.ts'

let world: World
let served: Served
let token: string

beforeAll(async () => {
  world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  token = (await world.organizer({ at: await world.client({ code: 'acme' }) })).token
  served = await serve(world)
})
afterAll(() => world.end())

describe('event setup by an assistant', () => {
  it('creates and publishes an event, changes it, compares its versions and restores an earlier one', async () => {
    const client = await OFFICIAL_CLIENTS[0]!.connect(served.url(`${ORGANIZER_PATH}?toolsets=events,clients`), token)
    const call = async (name: string, args: Record<string, unknown>): Promise<any> => {
      const result = await client.callTool({ name, arguments: args })
      if (result.isError) throw new Error(JSON.stringify(result.content))
      return result.structuredContent
    }
    const created = await call('create_event', {
      clientCode: 'acme',
      name: 'Spring Meeting',
      startsOn: '2027-04-20',
      endsOn: '2027-04-21',
      template: 'conference',
    })
    const eventCode = created.event.code as string
    expect((await call('list_my_events', {})).events.map((event: { eventCode: string }) => event.eventCode)).toEqual([eventCode])

    const tasks = await call('get_setup_tasks', { eventCode, onlyOpen: true })
    expect(tasks.readyToPublish).toBe(true)
    expect(tasks.tasks.map((task: { code: string }) => task.code)).toContain('publish.first')

    const { children } = await call('config_explore', { eventCode })
    expect(children.map((child: { path: string }) => child.path)).toContain('/flows')
    const configured = await call('configure_event', {
      eventCode,
      sections: {
        tags: [{ code: 'member', name: 'Member' }],
        taxes: [{ code: 'vat', name: 'VAT', rate: '19' }],
        products: [
          {
            code: 'dinner',
            name: 'Dinner',
            category: 'meal',
            taxCode: 'vat',
            prices: [{ amount: '89.00' }, { amount: '69.00', tags: ['member'] }],
          },
        ],
      },
    })
    expect(configured.added).toEqual(expect.arrayContaining(['/tags/member', '/taxes/vat', '/products/dinner']))
    expect((await call('review_flow', { eventCode, levels: ['error'] })).counts.error).toBe(0)
    expect(await call('publish_event', { eventCode, note: 'first' })).toMatchObject({ published: true, version: 1 })

    await call('config_set', { eventCode, operations: [{ op: 'set', path: '/products/dinner/prices/0/amount', valueJson: '"99.00"' }] })
    const { changes } = await call('diff_versions', { eventCode })
    expect(changes).toMatchObject([
      { path: '/products/dinner/prices/0/amount', kind: 'changed', beforeJson: '"89.00"', afterJson: '"99.00"' },
    ])
    const { matches } = await call('config_find', { eventCode, text: 'dinner' })
    expect(matches[0].path).toBe('/products/dinner')

    const { confirmToken } = await call('reset_to_version', { eventCode, version: 1, dryRun: true })
    await call('reset_to_version', { eventCode, version: 1, confirmToken })
    expect((await call('publish_event', { eventCode })).published).toBe(false)
    const { versions, draft } = await call('list_versions', { eventCode })
    expect(versions.map(({ number, live }: { number: number; live: boolean }) => ({ number, live }))).toEqual([{ number: 1, live: true }])
    expect(draft.changesSincePublish).toBe(0)
    await client.close()
  })
})
