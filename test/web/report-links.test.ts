import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runReportJob } from '../../src/domains/reports/runs/run-job.ts'
import type { Job } from '../../src/kernel/jobs.ts'
import { createJobRunner } from '../../src/surfaces/worker/run-jobs.ts'
import { createBrowserSession } from '../../src/domains/sign-in/sessions.ts'
import { openSalesScenario, type SalesScenario, WORKED_EXAMPLE } from '../support/sales-scenario.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { readLatestCode, chooseWrongCode } from '../support/sign-in-codes.ts'
import { visitor } from '../support/visitor.ts'

/** A report whose second table has names with dietary and access needs. */
const PERSONAL_REPORT = 'dietary-and-access'
const OUTSIDE = 'board@partner.example'

let sales: SalesScenario
let served: Served

beforeAll(async () => {
  sales = await openSalesScenario(WORKED_EXAMPLE, { baseUrl: await chooseFreeBaseUrl() })
  served = await serve(sales.world)
  await sales.register({ pass: 1 })
  await sales.olga.call('update_client', { clientCode: sales.event.clientCode, reportRecipients: [OUTSIDE] })
})
afterAll(() => sales.world.end())

async function sendReport(recipients: readonly string[]): Promise<string> {
  const { runId, jobId } = await sales.callConfirmed('run_report', { report: PERSONAL_REPORT, format: 'csv', recipients })
  await createJobRunner(sales.world.services)(runReportJob as Job, { tenantId: sales.event.tenantId, jobId })
  return runId
}

const emailTo = async (address: string) => {
  const { rows } = await sales.world.database.pool.query<{ text: string; attachments: number }>(
    `select m.text_body as text, (select count(*)::int from message_attachments a where a.message_id = m.id) as attachments
     from messages m where to_address = $1 and email_code = 'report' order by id desc limit 1`,
    [address],
  )
  return rows[0]!
}

const pathIn = (text: string, pattern: RegExp) => new URL(pattern.exec(text)![0]).pathname

async function organizerVisitor(userId: string) {
  const who = visitor(served)
  const token = await createBrowserSession(sales.world.database.write, { userId, totpPending: false, userAgent: 'test' })
  who.cookies.set('lanyard-organizer', token.reveal())
  return who
}

const download = async (who: { cookies: Map<string, string> }, path: string) => {
  const cookie = [...who.cookies].map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('; ')
  const response = await fetch(served.url(path), { headers: { cookie }, redirect: 'manual' })
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) }
}

describe('report link of an external recipient', () => {
  it('attaches no personal data to a report email, and opens the file only with a code sent to the same address', async () => {
    const runId = await sendReport([OUTSIDE])
    const { text, attachments } = await emailTo(OUTSIDE)
    expect(attachments).toBe(0)
    const link = pathIn(text, /https?:\/\/\S+\/report\/report_[\w-]+/)
    const who = visitor(served)
    expect((await who.get(link)).text).not.toContain(OUTSIDE)
    expect((await download(who, `${link}/file`)).status).toBe(303)
    await who.post(`${link}/send-code`, {}, { from: link })
    const code = await readLatestCode(sales.world, OUTSIDE)
    const wrong = await who.post(`${link}/code`, { code: chooseWrongCode(code) }, { from: `${link}?sent` })
    expect(wrong.status).toBe(400)
    expect((await who.post(`${link}/code`, { code }, { from: `${link}?sent` })).status).toBe(303)
    const file = await download(who, `${link}/file`)
    const { run } = await sales.call('get_report', { runId })
    expect(createHash('sha256').update(file.bytes).digest('hex')).toBe(run.sha256)
    expect(file.headers.get('content-disposition')).toContain('attachment')
    expect(file.headers.get('cache-control')).toContain('no-store')
    const stranger = visitor(served)
    expect((await download(stranger, `${link}/file`)).status).toBe(303)
  })

  it('refuses a report link once the client no longer lists the address', async () => {
    await sendReport([OUTSIDE])
    const link = pathIn((await emailTo(OUTSIDE)).text, /https?:\/\/\S+\/report\/report_[\w-]+/)
    expect((await visitor(served).get(link)).status).toBe(200)
    await sales.olga.call('update_client', { clientCode: sales.event.clientCode, reportRecipients: [] })
    expect((await visitor(served).get(link)).status).toBe(410)
    await sales.olga.call('update_client', { clientCode: sales.event.clientCode, reportRecipients: [OUTSIDE] })
  })

  it('answers a report link that has an unknown token with the page for unknown addresses', async () => {
    expect((await visitor(served).get('/report/report_unknown')).status).toBe(404)
  })
})

describe('report link of an organizer', () => {
  it('asks an organizer to sign in and checks permissions at every click on a report link', async () => {
    const boss = await sales.world.organizer({ at: sales.event, role: 'registrar' })
    await sendReport([boss.email])
    const { text, attachments } = await emailTo(boss.email)
    expect(attachments).toBe(0)
    const path = pathIn(text, /https?:\/\/\S+\/reports\/runs\/\w+\/file/)
    const anonymous = await visitor(served).get(path)
    expect([anonymous.status, anonymous.location]).toEqual([303, expect.stringContaining('/console/sign-in')])
    const who = await organizerVisitor(boss.userId)
    expect((await download(who, path)).status).toBe(200)
    const other = await sales.world.organizer({ at: sales.event, role: 'manager' })
    expect((await download(await organizerVisitor(other.userId), path)).status).toBe(404)
    await sales.world.database.write.updateTable('memberships').set({ role: 'analyst' }).where('user_id', '=', boss.userId).execute()
    expect((await download(who, path)).status).toBe(403)
  })
})

describe('console pages of reports', () => {
  it('shows a report with totals, creates a file after a preview, and exports the event', async () => {
    const who = await organizerVisitor(sales.olga.userId)
    const base = `/console/events/${sales.event.clientCode}/${sales.event.eventCode}/reports`
    const list = await who.get(base)
    expect(list.text).toContain('Revenue by product')
    // Areas are spelled as in the navigation of the console.
    for (const area of ['Programme', 'On site']) expect(list.html).toContain(`<h2>${area}</h2>`)
    expect((await who.get(`${base}/revenue-by-product`)).text).toContain('Total')
    expect((await who.get(`${base}/revenue-by-product?p-from=soon`)).html).toContain('aria-invalid="true"')
    const created = await who.post(`${base}/revenue-by-product/run`, { format: 'csv' }, { from: `${base}/revenue-by-product` })
    expect(created.location).toBe(`${base}?done=run-started`)
    const preview = await who.post(`${base}/${PERSONAL_REPORT}/run`, { format: 'pdf' }, { from: `${base}/${PERSONAL_REPORT}` })
    expect(preview.text).toContain('personal data')
    const exported = await who.post(`${base}/export`, { personalData: 'full', do: 'check' }, { from: `${base}/export` })
    expect(exported.text).toContain('administrators are notified by email')
  })
})
