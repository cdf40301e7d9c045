import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SAMPLE_FILES } from '../support/samples.ts'
import { openSalesScenario, type SalesScenario } from '../support/sales-scenario.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { createUploadFixtures } from '../support/uploads.ts'
import { visitor } from '../support/visitor.ts'

let scenario: SalesScenario
let served: Served

beforeAll(async () => {
  scenario = await openSalesScenario(undefined, { baseUrl: await chooseFreeBaseUrl() })
  served = await serve(scenario.world)
})
afterAll(() => scenario.world.end())

const setLogo = (fileId: string | null) =>
  scenario.call('config_set', { operations: [{ op: 'set', path: '/theme/logoFileId', valueJson: JSON.stringify(fileId) }] })
const publish = () => scenario.call('publish_event', { acceptWarnings: true })
const eventPage = () => {
  const { tenantCode, clientCode, eventCode } = scenario.event
  return visitor(served).get(`/tenant/${tenantCode}/client/${clientCode}/event/${eventCode}`)
}
const logoIn = (html: string) => /<img class="logo" src="([^"]+)"/.exec(html)?.[1]?.replaceAll('&amp;', '&')

describe('event logo', () => {
  it('shows a published logo on the pages and in the emails of the event', async () => {
    const { clientId, eventId } = scenario.event
    expect(logoIn((await eventPage()).html)).toBeUndefined()
    const { id } = await createUploadFixtures(scenario.world, scenario.event).file(SAMPLE_FILES.png, {}, { clientId, eventId })
    await setLogo(id)
    await publish()
    const shown = await fetch(served.url(new URL(logoIn((await eventPage()).html)!, served.baseUrl).href.slice(served.baseUrl.length)))
    expect([shown.status, shown.headers.get('content-type')]).toEqual([200, 'image/png'])
    expect(Buffer.from(await shown.arrayBuffer())).toEqual(SAMPLE_FILES.png)
    await scenario.register({ pass: 1 }, { sendConfirmation: true })
    const { rows } = await scenario.world.database.pool.query<{ html: string }>(
      `select html_body as html from messages where html_body is not null`,
    )
    expect(rows[0]!.html).toMatch(new RegExp(`<img [^>]*src="[^"]*${id}`))
  })

  it('accepts a logo file that belongs to the client for all events of the client', async () => {
    const { id } = await createUploadFixtures(scenario.world, scenario.event).file(
      SAMPLE_FILES.jpeg,
      { name: 'a.jpg' },
      { clientId: scenario.event.clientId },
    )
    await setLogo(id)
    await publish()
    expect(logoIn((await eventPage()).html)).toContain(id)
    await setLogo(null)
    await publish()
    expect(logoIn((await eventPage()).html)).toBeUndefined()
  })

  it.each([
    ['of another tenant', 'unknownFile', async () => (await elsewhere('other', SAMPLE_FILES.png)).id],
    ['of another client', 'unknownFile', async () => (await elsewhere('demo', SAMPLE_FILES.png)).id],
    ['of another event', 'unknownFile', atAnotherEvent],
    ['that was deleted', 'unknownFile', deleted],
    ['uploaded as an answer to a question', 'unknownFile', () => here({ purpose: 'answer' }, SAMPLE_FILES.png)],
    ['that is not a picture', 'wrongFile', () => here({ name: 'a.pdf' }, SAMPLE_FILES.pdf)],
  ])('reports an issue of the draft and refuses to publish it with a logo file %s', async (_, code, make) => {
    const fileId = await make()
    const { introduced } = await setLogo(fileId)
    expect(introduced).toMatchObject([{ code, path: '/theme/logoFileId' }])
    expect(await scenario.refused('publish_event', { acceptWarnings: true })).toMatchObject({
      code: 'precondition_failed',
      fields: [{ path: '/theme/logoFileId' }],
    })
    expect(logoIn((await eventPage()).html)).toBeUndefined()
    await setLogo(null)
  })
})

async function here(upload: object, content: Buffer): Promise<string> {
  const { clientId, eventId } = scenario.event
  return (await createUploadFixtures(scenario.world, scenario.event).file(content, upload, { clientId, eventId })).id
}

async function elsewhere(tenant: string, content: Buffer) {
  const client = await scenario.world.client({ tenant })
  return createUploadFixtures(scenario.world, client).file(content, {}, { clientId: client.clientId })
}

async function atAnotherEvent(): Promise<string> {
  const { clientId, eventId } = await scenario.world.event({ at: scenario.event })
  return (await createUploadFixtures(scenario.world, scenario.event).file(SAMPLE_FILES.png, {}, { clientId, eventId })).id
}

async function deleted(): Promise<string> {
  const id = await here({}, SAMPLE_FILES.png)
  await createUploadFixtures(scenario.world, scenario.event).remove(id)
  return id
}
