import { rm } from 'node:fs/promises'
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSetupKey } from '../../src/domains/sign-in/setup.ts'
import { createTestFolder } from '../support/folder.ts'
import { startProcess } from '../support/process.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { readFieldValue, visitor } from '../support/visitor.ts'
import { newWorld, type World } from '../support/world.ts'

const PUBLIC = 'https://events.example.org'
const FIELDS = {
  'tenant/name': 'Acme Group',
  'client/name': 'Acme Events',
  'client/code': '',
  'admin/name': 'Olga Organizer',
  'admin/email': 'olga@acme.example',
  'admin/password': 'five small words in line',
}

let world: World
let served: Served
let site: Pick<Served, 'url' | 'baseUrl'>

const rows = async (text: string) => (await world.database.pool.query<any>(text)).rows
const freePort = async () => Number(new URL(await chooseFreeBaseUrl()).port)

beforeAll(async () => {
  world = await newWorld()
  served = await serve(world, { port: await freePort(), env: { LANYARD_BASE_URL: PUBLIC } })
  site = { url: served.url, baseUrl: PUBLIC }
})
afterAll(() => world.end())

describe('first setup in production', () => {
  const setUp = (fields: Record<string, string>) => visitor(site).post('/console/setup', { ...FIELDS, ...fields })

  it('rejects a wrong setup key, an expired key and a weak password, and keeps the input', async () => {
    const key = (await createSetupKey(world.database.write)).reveal()
    const wrong = await setUp({ key: 'lsk_guess' })
    expect([wrong.status, wrong.text.includes('Setup key: is not correct')]).toEqual([400, true])
    expect(readFieldValue(wrong.html, 'admin/email')).toBe('olga@acme.example')
    expect(wrong.html).not.toContain(FIELDS['admin/password'])
    const weak = await setUp({ key, 'admin/password': 'password1234' })
    expect(weak.text).toContain('among the first that attackers try')
    await world.clock.advance('25 hours')
    expect((await setUp({ key })).status).toBe(400)
    await world.clock.reset()
    expect(await rows('select 1 from tenants')).toEqual([])
  })

  it('creates one tenant from two concurrent setup forms, signs the administrator in, and closes the setup afterwards', async () => {
    const keys = [(await createSetupKey(world.database.write)).reveal(), (await createSetupKey(world.database.write)).reveal()]
    const people = [visitor(site), visitor(site), visitor(site)]
    for (const person of people) await person.get('/console/setup')
    const answers = await Promise.all(
      people.map((person, i) => person.post('/console/setup', { ...FIELDS, key: keys[i % 2]!, 'tenant/name': `Group ${i % 2}` })),
    )
    expect(answers.map((answer) => answer.status).toSorted((x, y) => x - y)).toEqual([303, 404, 404])
    expect(await rows('select code from tenants')).toHaveLength(1)
    expect(await rows('select code, name from clients')).toEqual([{ code: 'acme-events', name: 'Acme Events' }])
    const winner = people[answers.findIndex((answer) => answer.status === 303)]!
    expect((await winner.get('/console/clients/acme-events/settings')).status).toBe(200)
    expect(await rows('select tool, app_name, actor_name from audit_entries')).toEqual([
      { tool: 'set_up', app_name: 'console', actor_name: 'Olga Organizer' },
    ])
    const again = await visitor(site).get('/console/setup')
    expect([again.status, again.text.includes('already set up')]).toEqual([404, true])
    const late = await winner.post('/console/setup', { ...FIELDS, key: keys[1]! }, { csrf: null })
    expect(late.status).toBe(404)
    expect(await rows('select 1 from setup_keys where used_at is null')).toEqual([])
    const back = visitor(site)
    await back.signIn({ email: 'OLGA@acme.example' }, FIELDS['admin/password'])
    expect((await back.get('/console')).status).toBe(200)
    expect(served.logged.join('\n')).not.toMatch(/lsk_|small words/)
  })
})

describe('setup outside production', () => {
  it('does not offer the setup page if the server runs on a local machine', async () => {
    const empty = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
    const local = await serve(empty)
    expect((await visitor(local).get('/console/setup')).status).toBe(404)
    await local.stop()
    await empty.end()
  })

  it('opens the setup page with the setup key that the terminal prints', async () => {
    const dataDir = createTestFolder()
    const port = await freePort()
    const env = { LANYARD_DATA_DIR: dataDir, LANYARD_BASE_URL: PUBLIC, LANYARD_SECRET_KEY: randomBytes(32).toString('base64') }
    const service = startProcess(['--enable-source-maps', 'dist/main.js'], { port, env })
    try {
      await service.ready()
      await expect.poll(() => service.output()).toContain('Set-up key')
      const key = /Set-up key\s+(lsk_\S+)/.exec(service.output())![1]!
      expect(service.output()).toContain(`${PUBLIC}/console/setup`)
      const person = visitor({ url: (path) => `http://localhost:${port}${path}`, baseUrl: PUBLIC })
      expect((await person.post('/console/setup', { ...FIELDS, key })).location).toBe('/console')
      expect((await person.get('/console')).text).toContain('Olga Organizer')
    } finally {
      await service.end('SIGTERM')
      await rm(dataDir, { recursive: true, force: true })
    }
  })
})
