import { afterAll, beforeAll, expect, it } from 'vitest'
import { assessTaxesJob } from '../../src/domains/taxation/assess.ts'
import type { Job } from '../../src/kernel/jobs.ts'
import { DEFAULT_MAX_RESULT_BYTES } from '../../src/kernel/bytes.ts'
import { createJobRunner } from '../../src/surfaces/worker/run-jobs.ts'
import { countAnswerBytes, type LargeEvent, openLargeEvent } from '../support/large-event.ts'

type Arguments = Record<string, unknown>

let event: LargeEvent
beforeAll(async () => {
  event = await openLargeEvent()
}, 240_000)
afterAll(() => event.world.end())

const rows = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n))

/** Products that all have the wrong tax, for which an assessment finds something. */
const PRODUCTS = rows(300, (n) => ({
  code: `course-${n}`,
  name: `Course ${n}: practice of large events`,
  category: 'session',
  prices: [{ amount: `${n + 1}.00` }],
}))

/** A price list of which every third row has an invalid price. */
const PRICE_LIST = [
  'code;name;price;capacity',
  ...rows(900, (n) => `w-${n};Workshop ${n};${n % 3 === 0 ? `free of charge ${n}` : `${n},50`};30`),
].join('\n')

it('answers changes of many records with at most 25,000 bytes', async () => {
  const { olga, event: place, world, call } = event
  const sizes: [string, number][] = []
  const measure = async (name: string, args: Arguments) => {
    const answer = await olga.answer(name, { eventCode: place.eventCode, ...args })
    expect([name, answer.isError ? answer.content[0]!.text : null]).toEqual([name, null])
    sizes.push([name, countAnswerBytes(answer)])
    return answer.structuredContent
  }
  const next = { eventCode: 'next-year' }
  await measure('clone_event', { newCode: next.eventCode, newName: 'Next year', startsOn: '2027-09-07' })
  await measure('configure_event', { ...next, sections: { products: PRODUCTS } })
  await measure('publish_event', { ...next, acceptWarnings: true, dryRun: true })
  await measure('publish_event', { ...next, acceptWarnings: true })
  await measure('copy_event_config', { fromEventCode: next.eventCode, sections: ['products', 'customFields', 'emails'], dryRun: true })
  await measure('copy_event_config', {
    fromEventCode: next.eventCode,
    sections: ['products', 'customFields', 'emails'],
    onConflict: 'replace',
    dryRun: true,
  })
  const taxRegistrations = [{ country: 'FR', number: 'FR40303265045', from: '2010-01-01' }]
  await olga.call('update_client', { clientCode: place.clientCode, establishedIn: 'FR', taxRegistrations })
  const { assessmentId, jobId } = await measure('start_tax_assessment', next)
  await createJobRunner(world.services)(assessTaxesJob as Job, { tenantId: place.tenantId, jobId })
  const { findings } = await measure('start_tax_assessment', { ...next, assessmentId })
  const findingIds = findings.filter(({ applicable }: any) => applicable).map(({ id }: any) => id)
  await measure('apply_tax_recommendations', { ...next, assessmentId, findingIds, dryRun: true })
  await measure('reset_to_version', { ...next, version: 1, dryRun: true })
  await measure('archive_event', { ...next, force: true, dryRun: true })
  await measure('import_products', { text: PRICE_LIST, dryRun: true })
  await measure('create_test_registrations', { count: 60, seed: 1 })
  const { invoices } = await call('list_order_invoices', { status: ['open'], limit: 100 })
  expect(invoices.length).toBeGreaterThan(20)
  await measure('write_off_invoices', { invoiceNumbers: invoices.map(({ number }: any) => number), reason: 'Insolvent', dryRun: true })
  const add = rows(100, (n) => ({ data: { '@participant.firstName': `Paul ${n}`, '@participant.email': `not an address ${n}` } }))
  await measure('update_managed_group_members', { groupCode: 'own', add, partial: true, dryRun: true })
  const emails = rows(100, (n) => ({ email: `invited.${n}@example.org`, role: 'member' }))
  await measure('send_group_invite', { groupCode: 'own', emails, dryRun: true })
  const companies = rows(400, (n) => ({ name: `Company ${n}`, country: `Nowhere ${n}`, contactEmail: n % 2 ? `no-${n}` : '' }))
  await measure('import_companies', { rows: companies, dryRun: true })
  await measure('import_speakers', {
    rows: rows(400, (n) => ({ firstName: 'Sam', lastName: `Speaker ${n}`, email: `no-${n}` })),
    dryRun: true,
  })
  await measure('import_attendance', {
    rows: rows(400, (n) => ({
      badge: `unknown-${n}`,
      at: n % 2 ? '2026-09-01T08:00:00Z' : `moment ${n}`,
      direction: 'in',
      deviceName: 'Gate',
    })),
    dryRun: true,
  })
  await measure('export_event', { personalData: 'full', dryRun: true })
  console.log(`Bytes of answers about changes: ${sizes.map(([name, bytes]) => `${name} ${bytes}`).join(', ')}`)
  expect(sizes.filter(([, bytes]) => bytes > DEFAULT_MAX_RESULT_BYTES)).toEqual([])
}, 240_000)
