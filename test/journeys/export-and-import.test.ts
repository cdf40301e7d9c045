import JSZip from 'jszip'
import { beforeAll, describe, expect, it } from 'vitest'
import { runReportJob } from '../../src/domains/reports/runs/run-job.ts'
import type { Job } from '../../src/kernel/jobs.ts'
import { createJobRunner } from '../../src/surfaces/worker/run-jobs.ts'
import { useSalesScenario, WORKED_EXAMPLE } from '../support/sales-scenario.ts'
import { createUploadFixtures } from '../support/uploads.ts'
import type { EventHandle } from '../support/world.ts'

const [contact, ...pages] = WORKED_EXAMPLE.flows[0]!.pages
const ASKED = ['mobilePhone', 'address1', 'city', 'country', 'jobTitle'].map((name) => `@participant.${name}`)
const EVENT = {
  ...WORKED_EXAMPLE,
  customFields: [
    { code: 'allergy', name: 'Allergies', responseType: 'text', sensitive: true },
    {
      code: 'shirt',
      name: 'Shirt',
      responseType: 'choice',
      choices: [
        { code: 'm', name: 'Medium' },
        { code: 'l', name: 'Large' },
      ],
    },
  ],
  flows: [
    {
      ...WORKED_EXAMPLE.flows[0]!,
      pages: [
        {
          ...contact!,
          widgets: [
            ...contact!.widgets,
            ...[...ASKED, '@custom.allergy', '@custom.shirt'].map((binding, n) => ({ id: `asked-${n}`, type: 'field', binding })),
          ],
        },
        ...pages,
      ],
    },
  ],
}

const sales = useSalesScenario(EVENT)
const euros = (amount: string) => ({ amount, currency: 'EUR' })
const PEOPLE = 12
/** Answers with words that occur nowhere else. */
const answersOf = (n: number) => ({
  '@participant.firstName': `Quentin${n}`,
  '@participant.lastName': `Zyxquist${n}`,
  '@participant.email': `quentin${n}@zyx-mail.example`,
  '@participant.company': `Zyxworks ${n}`,
  '@participant.jobTitle': 'Zyxologist',
  '@participant.mobilePhone': `+49151998877${String(n).padStart(2, '0')}`,
  '@participant.address1': `Zyxweg ${n}`,
  '@participant.city': 'Zyxingen',
  '@participant.country': 'DE',
  '@custom.allergy': `Zyxnuts ${n}`,
  '@custom.shirt': n % 2 ? 'm' : 'l',
})
/** Long enough that no random id or hash contains one of them. */
const PERSONAL_TEXTS = ['Quentin', 'Zyxquist', 'zyx-mail', 'Zyxworks', 'Zyxologist', 'Zyxweg', 'Zyxingen', 'Zyxnuts', '151998877']

/** Paid, partly paid, unpaid, cancelled, incomplete and test registrations; payments of several methods, some without a reference. */
beforeAll(async () => {
  for (let n = 0; n < PEOPLE; n++) {
    const { participant, order } = await sales.register({ pass: 1, dinner: n % 3 }, { data: answersOf(n), tags: n % 4 ? [] : ['vip'] })
    const pay = (amount: string, more: object) =>
      sales.call('record_manual_payment', { kind: 'payment', orderNumber: order.number, amount: euros(amount), ...more })
    if (n < 8) await pay('300.00', { method: 'bank', reference: `TR-${n}` })
    if (n < 4) await pay('100.50', { method: 'cash' })
    if (n < 2) await pay('100.50', { method: 'cash', allowDuplicate: true })
    if (n === 7) await sales.call('edit_participant', { participantId: participant.id, status: 'cancelled' })
  }
  await sales.register({}, { data: answersOf(PEOPLE), status: 'incomplete' })
  await sales.call('create_test_registrations', { count: 3, seed: 1 })
})

/** Exports the event as the tool does, and unpacks the archive. */
async function exportEvent(args: object) {
  const preview = await sales.call('export_event', { ...args, dryRun: true })
  const token = preview.confirmToken ? { confirmToken: preview.confirmToken } : {}
  const { runId, jobId } = await sales.call('export_event', { ...args, ...token })
  await createJobRunner(sales.world.services)(runReportJob as Job, { tenantId: sales.event.tenantId, jobId })
  const { run } = await sales.call('get_report', { runId })
  expect(run).toMatchObject({ status: 'done', file: { name: expect.stringContaining('.zip') } })
  const { rows } = await sales.world.database.pool.query<{ id: string }>('select file_id as id from report_runs where id = $1', [runId])
  const content = await sales.world.services.files.open(`${sales.event.tenantId}/${rows[0]!.id}`)
  const zip = await JSZip.loadAsync(Buffer.concat(await content!.toArray()))
  const files = new Map<string, Buffer>()
  for (const [path, entry] of Object.entries(zip.files)) files.set(path, await entry.async('nodebuffer'))
  return { files, manifest: JSON.parse(files.get('manifest.json')!.toString('utf8')) }
}

const exportPeopleAndPayments = () => exportEvent({ personalData: 'full', entities: ['participant', 'payment'], formats: ['csv'] })

/** Uploads the two files to the client. Returns their ids. */
async function uploadPeopleAndPayments(files: ReadonlyMap<string, Buffer>): Promise<string[]> {
  const { world, event } = sales
  const fileIds: string[] = []
  for (const name of ['participant.csv', 'payment.csv']) {
    const file = await createUploadFixtures(world, event).file(files.get(`data/${name}`)!, { name }, { clientId: event.clientId })
    fileIds.push(file.id)
  }
  return fileIds
}

const rowsByEntity = ({ manifest }: { manifest: { files: { path: string; entity?: string; rows?: number }[] } }) =>
  Object.fromEntries(manifest.files.flatMap(({ path, entity, rows }) => (entity && path.endsWith('.csv') ? [[entity, rows]] : [])))

describe('an exported event that is imported again', () => {
  it('exports no personal data with personalData “none”, and the same number of rows with personalData “full”', async () => {
    const none = await exportEvent({ personalData: 'none' })
    const bytes = Buffer.concat([...none.files.values()]).toString('utf8')
    expect(PERSONAL_TEXTS.filter((text) => bytes.toLowerCase().includes(text.toLowerCase()))).toEqual([])
    expect(await sales.refused('export_event', { personalData: 'full' })).toMatchObject({ code: 'precondition_failed' })
    const full = await exportEvent({ personalData: 'full' })
    // The administrators were notified of the export with personal data, and the exports are audited themselves.
    expect(rowsByEntity(full)).toEqual({ ...rowsByEntity(none), message: 1, auditEntry: expect.any(Number) })
    expect(rowsByEntity(full)).toMatchObject({ participant: PEOPLE + 1, payment: 14 })
    const people = full.files.get('data/participant.csv')!.toString('utf8')
    expect(PERSONAL_TEXTS.filter((text) => people.includes(text))).toEqual(PERSONAL_TEXTS)
  })

  it('imports the same participants and payments into an empty event', async () => {
    const { world, event, olga } = sales
    const { files } = await exportPeopleAndPayments()
    const empty: EventHandle = await world.event({ at: event, status: 'draft', timezone: 'Europe/Paris', startsOn: '2027-09-01' })
    const at = (args: object = {}) => ({ eventCode: empty.eventCode, ...args })
    await olga.call('configure_event', at({ sections: { details: WORKED_EXAMPLE.details } }))
    const fileIds = await uploadPeopleAndPayments(files)
    const setup = await olga.call('setup_import_flow', at({ fileIds, sourceSystem: 'lanyard', save: true }))
    expect(setup).toMatchObject({
      status: 'ready',
      questions: [],
      joins: [{ from: 'payment', to: 'participant', matched: 14, unmatched: 0 }],
    })
    const live = { setupId: setup.setupId, mode: 'live', withPayments: true, publish: true }
    const preview = await olga.call('import_event', at({ ...live, dryRun: true }))
    expect(preview).toMatchObject({ rows: PEOPLE + 1, created: PEOPLE + 1, duplicates: 0, errors: 0 })
    expect(preview.payments).toMatchObject({ rows: 14, created: 14, orphans: 0, duplicates: 0, errors: 0 })
    await olga.call('import_event', at({ ...live, confirmToken: preview.confirmToken }))

    const before = await sales.call('get_registration_summary')
    const after = await olga.call('get_registration_summary', at())
    expect(after.participants).toEqual(before.participants)
    expect(after.money.paid).toEqual(before.money.paid)
    expect(before.participants).toMatchObject({ total: PEOPLE + 1, complete: PEOPLE - 1, cancelled: 1, incomplete: 1 })
    expect(before.money.paid).toEqual(euros('3003.00'))

    const people = { entity: 'participant', orderBy: ['email'], limit: 100 }
    const fields = ['name', 'email', 'company', 'jobTitle', 'mobilePhone', 'address1', 'city', 'country', 'status', 'completedAt', 'tags']
    const rowsOf = async (eventCode: string, more: string[]) => {
      const { rows } = await olga.call('query_data', { eventCode, ...people, fields: [...fields, ...more] })
      return rows.map(({ id: _id, ...row }: Record<string, unknown>) => row)
    }
    const withoutProducts = (rows: any[]) => rows.map(({ tags, ...row }) => ({ ...row, isVip: tags.includes('vip') }))
    expect(withoutProducts(await rowsOf(empty.eventCode, ['custom.allergy']))).toEqual(
      withoutProducts(await rowsOf(event.eventCode, ['custom.allergy'])),
    )
    const byMethod = { entity: 'payment', groupBy: ['method'], aggregates: ['count', 'sum(amount) as amount'], orderBy: ['method'] }
    expect((await olga.call('query_data', at(byMethod))).rows).toEqual((await sales.call('query_data', byMethod)).rows)
  })

  it('imports no payments in another currency than that of the event', async () => {
    const { world, event, olga } = sales
    const { files } = await exportPeopleAndPayments()
    const payments = files.get('data/payment.csv')!.toString('utf8')
    const [header, first, ...others] = payments.trim().split('\r\n')
    const inDollars = [header, first!.replace(',EUR', ',USD'), ...others].join('\r\n')
    const fileIds = await uploadPeopleAndPayments(new Map([...files, ['data/payment.csv', Buffer.from(inDollars)]]))
    const empty = await world.event({ at: event, status: 'draft', timezone: 'Europe/Paris', startsOn: '2027-09-01' })
    const at = (args: object) => ({ eventCode: empty.eventCode, ...args })
    await olga.call('configure_event', at({ sections: { details: WORKED_EXAMPLE.details } }))
    const { setupId } = await olga.call('setup_import_flow', at({ fileIds, sourceSystem: 'lanyard', save: true }))
    const preview = await olga.call('import_event', at({ setupId, mode: 'live', withPayments: true, publish: true, dryRun: true }))
    expect(preview.payments).toMatchObject({ rows: 14, created: 13, errors: 1 })
    expect(preview.errorRows).toMatchObject([{ column: 'amount.currency', value: 'USD', code: 'currency' }])
  })
})
