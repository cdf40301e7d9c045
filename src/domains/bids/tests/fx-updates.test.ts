import { rmSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { RESPONSE_A, RESPONSE_B } from '../../../../test/support/sourcing.ts'
import { createTestFolder } from '../../../../test/support/folder.ts'
import { type Internet, startInternet } from '../../../../test/support/internet.ts'
import { runRecurringTask } from '../../../../test/support/room-deadlines.ts'
import { buildZip } from '../../sheets/tests/workbook-file.ts'
import { createFxRateUpdater } from '../fx/updates.ts'
import { storeRates } from '../fx/store-rates.ts'
import { setUpBidsScenario } from './bids-scenario.ts'

const { story, newRfp, respond, call, refused, query } = setUpBidsScenario()
const folder = createTestFolder()
const file = join(folder, 'rates.csv')
const ECB_URL = 'https://rates.example/eurofxref-hist.zip'
let internet: Internet
let respondWith: (response: ServerResponse) => void

beforeAll(async () => {
  internet = await startInternet((_request, response) => respondWith(response))
})
afterAll(async () => {
  await internet.stop()
  rmSync(folder, { recursive: true, force: true })
})
beforeEach(() => void story.world.logged.splice(0))
afterEach(() => query('delete from fx_rates'))

const stored = async () =>
  (await query(`select day::text, currency, per_eur::text as rate, source from fx_rates order by 2, 1`)).rows.map((row: any) =>
    [row.day, row.currency, row.rate, row.source].join(' '),
  )
const logged = (level: string) =>
  story.world.logged.map((line) => JSON.parse(line) as Record<string, unknown>).filter((line) => line['level'] === level)
const counts = () => logged('info').map(({ name, count }) => [name, count])
const run = () => ({ transact: story.world.database.transact, log: story.world.services.log })
const fromFile = () => createFxRateUpdater({ file, ecbUrl: null }, internet.fetcher)
const fromEcb = () => createFxRateUpdater({ file: null, ecbUrl: ECB_URL }, internet.fetcher)
const serveBytes = (bytes: Buffer) => (respondWith = (response) => void response.setHeader('content-type', 'application/zip').end(bytes))
const serveCsv = (lines: readonly string[], name = 'eurofxref-hist.csv') =>
  serveBytes(buildZip([{ name, content: `${lines.join('\n')}\n` }]))
const HISTORY = ['Date,USD,JPY,CHF,XQX,', '2026-10-30,1.25,178.1,N/A,3,', '2026-10-29,1.24,177,N/A,3,', '1999-01-04,1.1789,133.73,N/A,,']

describe('LANYARD_FX_FILE', () => {
  it('stores valid lines of the exchange rate file and logs invalid lines by number, without their values', async () => {
    const long = `2026-10-30,${'X'.repeat(20_000)},1`
    const lines = [
      '\uFEFFday,currency,perEur',
      '2026-10-30,USD,1.25',
      '30.10.2026,USD,1.25',
      '"2026-10-30","GBP","0.84"',
      '',
      '2026-10-30,XQX,2',
      '2026-10-30,EUR,1.1',
      '2026-10-30,JPY,0',
      '2026-10-30,CHF,secret-value',
      '2026-10-30,USD,1.26',
      '2026-10-30,"SEK,11',
      '2026-10-30',
      long,
      '2026-10-29,USD,1.240,ignored',
    ]
    writeFileSync(file, lines.join('\r\n'))
    await fromFile().loadFile(run())
    expect(await stored()).toEqual(['2026-10-30 GBP 0.84 file', '2026-10-29 USD 1.240 file', '2026-10-30 USD 1.25 file'])
    expect(logged('warn').map(({ error }) => error)).toEqual([
      'line 3: day must be a date such as 2026-11-16',
      'line 6: currency must be an ISO 4217 code such as USD',
      'line 7: currency must not be EUR: all rates are per euro',
      'line 8: perEur must be a decimal above zero such as 1.0845',
      'line 9: perEur must be a decimal above zero such as 1.0845',
      'line 10: the same day and currency are on line 2',
      'line 11: currency must be an ISO 4217 code such as USD',
      'line 12: currency must be an ISO 4217 code such as USD',
      'line 13: currency must be an ISO 4217 code such as USD',
    ])
    expect(story.world.logged.join()).not.toContain('secret-value')
    expect(counts()).toEqual([['file', 3]])
  })

  it('loads the exchange rate file again in the daily task only if its content has changed', async () => {
    writeFileSync(file, 'currency,day,perEur\nUSD,2026-10-30,1.25\nGBP,2026-10-30,0.84\n')
    const updates = fromFile()
    const [task, ...others] = updates.tasks
    expect(others).toEqual([])
    await updates.loadFile(run())
    await runRecurringTask(story.world, task!)
    expect(counts()).toEqual([['file', 2]])
    writeFileSync(file, 'currency,day,perEur\nUSD,2026-10-30,1.30\nGBP,2026-10-30,0.840\n')
    await runRecurringTask(story.world, task!)
    expect(counts()).toEqual([
      ['file', 2],
      ['file', 1],
    ])
    expect(await stored()).toEqual(['2026-10-30 GBP 0.84 file', '2026-10-30 USD 1.30 file'])
    // Control: another process, which has not loaded the file yet, stores it again, and no rate changes.
    await fromFile().loadFile(run())
    expect(counts().at(-1)).toEqual(['file', 0])
  })

  it.each([
    ['without the header', () => writeFileSync(file, '2026-10-30,USD,1.25\n'), 'line 1: the header must be day,currency,perEur'],
    ['without a line', () => writeFileSync(file, ''), 'line 1: the header must be day,currency,perEur'],
    ['that was removed', () => rmSync(file), 'the file cannot be read (ENOENT)'],
    ['above 20 MB', () => writeFileSync(file, Buffer.alloc(20 * 1024 * 1024 + 1)), 'the file is larger than 20971520 bytes'],
  ])('changes no exchange rates and logs an error for a file %s', async (_what, change, error) => {
    writeFileSync(file, 'day,currency,perEur\n2026-10-30,USD,1.25\n')
    const updates = fromFile()
    await updates.loadFile(run())
    change()
    await runRecurringTask(story.world, updates.tasks[0]!)
    expect(logged('warn').map((line) => line['error'])).toEqual([error])
    expect(await stored()).toEqual(['2026-10-30 USD 1.25 file'])
  })

  it('logs 50 invalid lines of the exchange rate file and the number of further invalid lines', async () => {
    writeFileSync(file, ['day,currency,perEur', ...Array.from({ length: 53 }, () => 'x,y,z')].join('\n'))
    await fromFile().loadFile(run())
    expect(logged('warn')).toHaveLength(51)
    expect(logged('warn').at(-1)).toMatchObject({ message: 'more exchange rates ignored', count: 3 })
  })

  it('lets compare_responses convert US dollars with the exchange rates of the file', async () => {
    const rfpId = await newRfp()
    await respond(rfpId, RESPONSE_B)
    await respond(rfpId, { ...RESPONSE_A, currency: 'USD' })
    const missing = await refused('compare_responses', { rfpId })
    expect([missing.code, missing.message]).toEqual(['unavailable', expect.stringContaining('USD/EUR')])
    writeFileSync(file, 'day,currency,perEur\n2026-10-30,USD,1.25\n')
    await fromFile().loadFile(run())
    const compared = await call('compare_responses', { rfpId })
    expect(compared.fx).toEqual([{ from: 'USD', to: 'EUR', rate: '0.800000', day: '2026-10-30' }])
    expect(compared.totals.map(({ net }: any) => net.amount)).toEqual(['81315.20', '97655.40'])
  })
})

describe('LANYARD_FX_PROVIDER=ecb', () => {
  const RATES = [
    '1999-01-04 JPY 133.73 ecb',
    '2026-10-29 JPY 177 ecb',
    '2026-10-30 JPY 178.1 ecb',
    '1999-01-04 USD 1.1789 ecb',
    '2026-10-29 USD 1.24 ecb',
    '2026-10-30 USD 1.25 ecb',
  ]

  it('stores the whole ECB history once, then new days and corrections of the last week', async () => {
    serveCsv(HISTORY)
    const [task] = fromEcb().tasks
    await runRecurringTask(story.world, task!)
    expect(await stored()).toEqual(RATES)
    await runRecurringTask(story.world, task!)
    const [header, , second, first] = HISTORY
    serveCsv([header!, '2026-11-02,1.26,179,N/A,3,', '2026-10-30,1.27,178.1,N/A,3,', second!, first!.replace('1.1789', '9')])
    await runRecurringTask(story.world, task!)
    expect(counts()).toEqual([
      ['ecb', 6],
      ['ecb', 0],
      ['ecb', 3],
    ])
    expect((await stored()).filter((rate) => rate.includes('USD'))).toEqual([
      '1999-01-04 USD 1.1789 ecb',
      '2026-10-29 USD 1.24 ecb',
      '2026-10-30 USD 1.27 ecb',
      '2026-11-02 USD 1.26 ecb',
    ])
    expect(logged('warn')).toEqual([])
  })

  it('keeps the exchange rates of the file when ECB rates of the same days arrive', async () => {
    const db = story.world.database.write
    await storeRates(db, [{ day: '2026-10-30', currency: 'USD', perEur: '2' }], 'file')
    serveCsv(HISTORY)
    await runRecurringTask(story.world, fromEcb().tasks[0]!)
    expect(counts()).toEqual([['ecb', 5]])
    expect(await stored()).toContain('2026-10-30 USD 2 file')
    expect(await storeRates(db, [{ day: '2026-10-29', currency: 'USD', perEur: '1.24' }], 'file')).toBe(1)
    expect(await stored()).toContain('2026-10-29 USD 1.24 file')
  })

  it('fetches ECB rates at the start only if none are stored', async () => {
    serveCsv(HISTORY)
    const before = internet.received.length
    await fromEcb().fetchFirst(run())
    await fromEcb().fetchFirst(run())
    expect(internet.received.length - before).toBe(1)
    expect(await stored()).toEqual(RATES)
    await createFxRateUpdater({ file: null, ecbUrl: null }, internet.fetcher).fetchFirst(run())
    expect(internet.received.length - before).toBe(1)
  })

  const archive = (content: string | Buffer) => buildZip([{ name: 'eurofxref-hist.csv', content }])
  const damage = (bytes: Buffer) => Buffer.from(bytes).fill(0xff, 50, 70)
  it.each([
    ['a web page', () => serveBytes(Buffer.from('<html>Maintenance</html>')), 'the archive is damaged or too large'],
    ['half an archive', () => serveBytes(archive(HISTORY.join('\n')).subarray(0, 90)), 'the archive is damaged or too large'],
    ['damaged content', () => serveBytes(damage(archive(HISTORY.join('\n')))), 'the archive is damaged or too large'],
    ['a ZIP bomb', () => serveBytes(archive(Buffer.alloc(5_000_000, '1'))), 'the archive is damaged or too large'],
    ['another file', () => serveCsv(HISTORY, 'readme.csv'), 'the archive has no file eurofxref-hist.csv'],
    ['another table', () => serveCsv(['Name,Value', 'a,b']), 'its first line does not name the currencies'],
    ['a line without a day', () => serveCsv([...HISTORY, 'total,3']), 'line 5 does not start with a day'],
    ['no day', () => serveCsv(HISTORY.slice(0, 1)), 'it has no day'],
    ['status 503', () => (respondWith = (response) => void response.writeHead(503).end()), 'the server responded with status 503'],
  ])('changes no exchange rates and logs a warning if the ECB server responds with %s', async (_what, serveBroken, why) => {
    await storeRates(story.world.database.write, [{ day: '2026-10-28', currency: 'USD', perEur: '1.2' }], 'ecb')
    serveBroken()
    await runRecurringTask(story.world, fromEcb().tasks[0]!)
    expect(logged('warn')).toMatchObject([{ name: 'ecb', error: `The history of ECB rates cannot be read: ${why}` }])
    expect(logged('info')).toEqual([])
    expect(await stored()).toEqual(['2026-10-28 USD 1.2 ecb'])
  })

  it('logs a warning if the ECB server cannot be reached or has a private address', async () => {
    internet.down = true
    await runRecurringTask(story.world, fromEcb().tasks[0]!)
    internet.down = false
    const local = createFxRateUpdater({ file: null, ecbUrl: 'http://127.0.0.1/eurofxref-hist.zip' }, internet.fetcher)
    await runRecurringTask(story.world, local.tasks[0]!)
    expect(logged('warn').map(({ error }) => error)).toEqual(['The address could not be reached', 'The address is not a public address'])
    expect(await stored()).toEqual([])
  })

  it('stores more exchange rates than fit into one SQL statement', async () => {
    const currencies = ['USD', 'JPY', 'GBP', 'CHF', 'SEK', 'NOK', 'DKK', 'PLN', 'CZK', 'HUF']
    const days = Array.from({ length: 2000 }, (_, i) => new Date(Date.parse('2026-10-30') - i * 86_400_000).toISOString().slice(0, 10))
    serveCsv([
      `Date,${currencies.join()},`,
      ...days.map((day, i) => `${day},${currencies.map((_, j) => `1.${(i * 7 + j * 13) % 9973}1`).join()},`),
    ])
    await runRecurringTask(story.world, fromEcb().tasks[0]!)
    expect(counts()).toEqual([['ecb', 20_000]])
  })
})
