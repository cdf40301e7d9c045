import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parse } from 'csv-parse/sync'
import JSZip from 'jszip'
import { beforeEach, describe, expect, it } from 'vitest'
import { createTestFolder } from '../../../../test/support/folder.ts'
import { runsScenario } from './runs.ts'

const desk = runsScenario()
const PERSON = {
  first_name: 'Zoltanella',
  last_name: 'Quirkenstein',
  email: 'zoltanella.q@secret-mail.example',
  company: 'Quirkworks Gadgetry',
  job_title: 'Chief Unicornist',
  mobile_phone: '+491719998877',
  address1: 'Geheimweg 42',
  city: 'Hinterzarten',
  flow_slug: 'attendee',
}
const PERSONAL_TEXTS = ['Zoltanella', 'Quirkenstein', 'secret-mail', 'Quirkworks', 'Unicornist', '1719998877', 'Geheimweg', 'Hinterzarten']

let personId: string
beforeEach(async () => {
  personId = await desk.person(PERSON)
  await desk.person({ first_name: 'Ben', last_name: 'Aal', flow_slug: 'attendee' })
  await desk.buys(personId, [{ product: 'pass', net: 63750, tax: 12750 }])
  await desk.pays(personId, 50000)
})

/** Exports the event and unpacks the archive. */
async function exportAll(args: object = {}) {
  const { runId, jobId } = await desk.confirmed('export_event', args)
  await desk.work(jobId)
  const zip = await JSZip.loadAsync((await desk.bytesOf(runId))!)
  const files = new Map<string, Buffer>()
  for (const [path, entry] of Object.entries(zip.files)) files.set(path, await entry.async('nodebuffer'))
  return { runId, files, text: (path: string) => files.get(path)!.toString('utf8') }
}

const rowsOf = (csv: string) => parse(csv.replace('\uFEFF', ''), { columns: true }) as Record<string, string>[]

describe('export_event', () => {
  it('counts the rows of an export in a dry run and starts no job', async () => {
    const preview = await desk.call('export_event', { dryRun: true })
    expect(preview.entities.find((one: any) => one.name === 'participant')).toEqual({ name: 'participant', rows: 2 })
    expect(preview.personal).toEqual([])
    expect(preview.estimatedBytes).toBeGreaterThan(0)
    const { jobId } = await desk.call('export_event')
    expect(jobId).toBeDefined()
  })

  it('lists every personal field that each value of personalData exports', async () => {
    const listed = async (personalData: string, entities?: string[]) =>
      (await desk.call('export_event', { dryRun: true, personalData, ...(entities ? { entities } : {}) })).personal
    const identity = await listed('identity', ['participant', 'order'])
    expect(identity).toEqual(expect.arrayContaining(['participant.name', 'participant.email', 'order.billName']))
    expect(identity).not.toContain('participant.mobilePhone')
    expect(identity).not.toContain('participant.status')
    expect(await listed('full', ['participant', 'order'])).toEqual(expect.arrayContaining([...identity, 'participant.mobilePhone']))
    expect(await listed('none', ['participant', 'order'])).toEqual([])
  })

  it('writes an archive whose checksums, manifest and number of rows match its files', async () => {
    const { runId, files, text } = await exportAll({ personalData: 'full' })
    const folder = createTestFolder()
    for (const [path, bytes] of files) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), bytes)
    }
    const checked = execFileSync('sha256sum', ['-c', 'SHA256SUMS'], { cwd: folder, encoding: 'utf8' })
    expect(checked.trim().split('\n')).toHaveLength(files.size - 1)
    const manifest = JSON.parse(text('manifest.json'))
    for (const { path, rows, entity } of manifest.files) {
      if (entity === undefined) continue
      const counted = path.endsWith('.csv') ? rowsOf(text(path)).length : text(path).split('\n').length - 1
      expect([path, counted]).toEqual([path, rows])
    }
    expect(manifest.totals['money.net']).toEqual({ amount: '637.50', currency: 'EUR' })
    expect(files.has('config/draft.json') && files.has('config/live-v1.json') && files.has('README.txt')).toBe(true)
    const { run } = await desk.call('get_report', { runId })
    expect(run).toMatchObject({ status: 'done', containsPersonal: true, manifest: { files: manifest.files.length } })
  })

  it('connects rows of different files by ids, also when the ids are pseudonyms', async () => {
    for (const personalData of ['full', 'none']) {
      const { text } = await exportAll({ personalData })
      const people = new Set(rowsOf(text('data/participant.csv')).map(({ id }) => id))
      const orders = rowsOf(text('data/order.csv'))
      const lines = rowsOf(text('data/orderLine.csv'))
      expect(people.size).toBe(2)
      expect(orders.every((order) => people.has(order['participantId']))).toBe(true)
      expect(lines.every((line) => orders.some(({ id }) => id === line['orderId']))).toBe(true)
      expect(people.has(personId)).toBe(personalData === 'full')
    }
  })

  it('exports no personal data by default, and all personal data with personalData full', async () => {
    const none = await exportAll()
    const all = Buffer.concat([...none.files.values()]).toString('utf8')
    for (const secret of [...PERSONAL_TEXTS, personId]) expect(all).not.toContain(secret)
    expect(rowsOf(none.text('data/participant.csv'))[0]).not.toHaveProperty('lastName')
    const full = (await exportAll({ personalData: 'full' })).text('data/participant.csv')
    for (const secret of PERSONAL_TEXTS) expect(full).toContain(secret)
    const identity = rowsOf((await exportAll({ personalData: 'identity' })).text('data/participant.csv'))[0]!
    expect(identity).toHaveProperty('email')
    expect(identity).not.toHaveProperty('mobilePhone')
  })

  it('requires a confirm token to export personal data, and notifies the administrators', async () => {
    const refused = await desk.refused('export_event', { personalData: 'identity' })
    expect([refused.code, refused.fix!.tool]).toEqual(['precondition_failed', 'export_event'])
    expect(await desk.emails()).toEqual([])
    await desk.confirmed('export_event', { personalData: 'identity' })
    expect((await desk.emails()).map(({ to, code }) => [to, code])).toEqual([[desk.olga.email, 'export-notice']])
  })

  it('runs one export at a time and names the running export', async () => {
    const { runId, jobId } = await desk.call('export_event')
    const refused = await desk.refused('export_event')
    expect(refused).toMatchObject({ code: 'conflict', fix: { tool: 'get_report', arguments: { runId } } })
    await desk.work(jobId)
    expect((await desk.call('export_event')).status).toBe('queued')
  })

  it('refuses an export of unknown entities, and any export if the client does not allow exports', async () => {
    expect((await desk.refused('export_event', { entities: ['participnt'] })).fields![0]!.allowed).toEqual(['participant'])
    expect((await desk.refused('export_event', { entities: ['order', 'contact'] })).fields).toEqual([
      { path: 'entities[1]', message: 'contact belongs to the client, not to one event: use query_across_events' },
    ])
    await desk.olga.call('update_client', { clientCode: desk.event.clientCode, exportAllowed: false })
    const refused = await desk.refused('export_event')
    expect(refused.code).toBe('forbidden')
    expect(refused.message).toContain('exportAllowed')
  })

  it('omits areas that the user may not read from an export, and lists them', async () => {
    const analyst = await desk.colleague('marketer')
    const { runId, jobId } = await analyst.call('export_event')
    await desk.work(jobId)
    const zip = await JSZip.loadAsync((await desk.bytesOf(runId))!)
    const manifest = JSON.parse(await zip.file('manifest.json')!.async('string'))
    expect(manifest.leftOut).toContainEqual({ name: 'hotel', reason: 'needs housing.read' })
    expect(manifest.leftOut).toContainEqual({ name: 'contact', reason: expect.stringContaining('not to one event') })
    expect(zip.file('data/hotel.csv')).toBeNull()
    expect((await analyst.refused('export_event', { personalData: 'full' })).code).toBe('forbidden')
  })
})
