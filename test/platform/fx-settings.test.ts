import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { buildZip } from '../../src/domains/sheets/tests/workbook-file.ts'
import { readEnvironment } from '../../src/platform/environment.ts'
import { createTestFolder } from '../support/folder.ts'
import { chooseFreeBaseUrl, serve } from '../support/server.ts'
import { newWorld, type World } from '../support/world.ts'

const folder = createTestFolder()
const file = join(folder, 'rates.csv')
beforeAll(() => writeFileSync(file, 'day,currency,perEur\n2026-10-30,USD,1.25\nbroken\n'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('settings for sources of exchange rates', () => {
  const read = (env: NodeJS.ProcessEnv) => readEnvironment(env, false)

  it('configures no source of exchange rates by default', () => {
    expect(read({}).fx).toEqual({ file: null, ecbUrl: null })
    expect(read({ LANYARD_FX_URL: 'https://rates.example/hist.zip' }).fx.ecbUrl).toBeNull()
  })

  it('reads the file and the ECB address of exchange rates from the settings', () => {
    const { fx, warnings } = read({ LANYARD_FX_FILE: file, LANYARD_FX_PROVIDER: 'ecb' })
    expect(fx).toEqual({ file, ecbUrl: 'https://www.ecb.europa.eu/stats/eurofxref/eurofxref-hist.zip' })
    expect(warnings).toEqual([])
    const mirror = read({ LANYARD_FX_PROVIDER: 'ecb', LANYARD_FX_URL: 'http://rates.internal/hist.zip' })
    expect([mirror.fx.ecbUrl, mirror.warnings]).toEqual(['http://rates.internal/hist.zip', []])
  })

  it('refuses invalid settings of exchange rates', () => {
    expect(() => read({ LANYARD_FX_PROVIDER: 'fed' })).toThrow('LANYARD_FX_PROVIDER must be one of ecb; it is fed')
    expect(() => read({ LANYARD_FX_PROVIDER: 'ecb', LANYARD_FX_URL: 'ecb' })).toThrow('LANYARD_FX_URL must be an address')
    expect(() => read({ LANYARD_FX_FILE: join(folder, 'none') })).toThrow('LANYARD_FX_FILE must name a readable file')
  })
})

describe('server with sources of exchange rates', () => {
  let world: World
  let ecb: Server
  let host: string
  beforeAll(async () => {
    world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
    const archive = buildZip([{ name: 'eurofxref-hist.csv', content: 'Date,USD,JPY,\n2026-10-30,1.3,178.1,\n' }])
    ecb = createServer((_request, response) => void response.end(archive)).listen(0, '127.0.0.1')
    await once(ecb, 'listening')
    host = `127.0.0.1:${(ecb.address() as AddressInfo).port}`
  })
  afterAll(async () => {
    await world.end()
    ecb.close()
  })
  const stored = async () =>
    (await world.database.pool.query<any>('select currency, per_eur::text as rate, source from fx_rates order by 1')).rows
  const env = () => ({
    LANYARD_FX_FILE: file,
    LANYARD_FX_PROVIDER: 'ecb',
    LANYARD_FX_URL: `http://${host}/eurofxref-hist.zip`,
    LANYARD_ALLOWED_HOSTS: host,
  })

  it('loads exchange rates of the file and of the ECB at the start of a worker, and none at the start of a web process', async () => {
    const web = await serve(world, { env: { ...env(), LANYARD_ROLE: 'web' } })
    await web.stop()
    expect(await stored()).toEqual([])
    const worker = await serve(world, { env: { ...env(), LANYARD_ROLE: 'worker' } })
    // The file is loaded before the server listens, and the ECB is asked in the background.
    expect(await stored()).toContainEqual({ currency: 'USD', rate: '1.25', source: 'file' })
    await vi.waitFor(async () => expect(await stored()).toHaveLength(2), { timeout: 10_000 })
    await worker.stop()
    expect(await stored()).toEqual([
      { currency: 'JPY', rate: '178.1', source: 'ecb' },
      { currency: 'USD', rate: '1.25', source: 'file' },
    ])
    expect(worker.logged.filter((line) => line.includes('line 3: day must be a date'))).toHaveLength(1)
    const { rows } = await world.database.pool.query<any>(`select name from recurring_slots where name like 'fx-%' order by 1`)
    expect(rows.map(({ name }) => name)).toEqual(['fx-ecb', 'fx-file'])
  })
})
