import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventHomePath } from '../support/own-pages.ts'
import { openSalesScenario, type SalesScenario } from '../support/sales-scenario.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { sealCompletedEnvelopes, createSigningFixtures, TWO_SIGNERS } from '../support/signing.ts'
import { visitor } from '../support/visitor.ts'
import { buildRoomSections } from '../support/hotels.ts'

describe('signer pages', () => {
  let sales: SalesScenario
  let served: Served
  let signing: ReturnType<typeof createSigningFixtures>
  beforeAll(async () => {
    sales = await openSalesScenario(buildRoomSections(), { baseUrl: await chooseFreeBaseUrl() })
    served = await serve(sales.world)
    signing = createSigningFixtures(sales.world, sales.event)
  })
  afterAll(() => sales.world.end())

  const linkOf = async (email: string) => {
    const { rows } = await sales.world.database.pool.query<{ text: string }>(
      `select text_body as text from messages where to_address = $1 and email_code = 'signature-request' order by id desc limit 1`,
      [email],
    )
    return new URL(/https?:\/\/\S+\/sign\/[\w-]+/.exec(rows[0]!.text)![0]).pathname
  }
  const verify = (content: Buffer) =>
    visitor(served).post(
      '/verify',
      {},
      { files: { pdf: new File([new Uint8Array(content)], 'K-0003-signed.pdf', { type: 'application/pdf' }) } },
    )
  const send = async () => {
    const { contractId } = await signing.contract()
    await sales.call('mark_contract_ready_for_signature', { contractId })
    await sales.call('send_contract_for_signature', { contractId, signers: TWO_SIGNERS })
    return contractId
  }

  it('opens the contract with the emailed code, accepts the signatures of both signers and shows the documents', async () => {
    await send()
    for (const { email, name } of TWO_SIGNERS) {
      const home = await linkOf(email)
      const browser = visitor(served)
      const first = await browser.get(home)
      expect(first.status).toBe(200)
      expect(first.text).toContain('Email me a code')
      expect(first.text).not.toContain('Room block')
      await browser.post(`${home}/send-code`, {}, { from: home })
      const wrong = await browser.post(`${home}/code`, { code: '000000' }, { from: home })
      expect([303, 400]).toContain(wrong.status)
      await browser.post(`${home}/code`, { code: await signing.latestCode(email) }, { from: home })
      const document = await browser.get(home)
      expect(document.text).toContain('Room block')
      expect(document.text).toContain('your turn')
      const incomplete = await browser.post(`${home}/sign`, { how: 'type', name: '' }, { from: home })
      expect(incomplete.status).toBe(400)
      expect(incomplete.text).toContain('Enter your full name')
      const signed = await browser.post(`${home}/sign`, { how: 'type', name, consent: 'on' }, { from: home })
      expect(signed.status).toBe(303)
    }
    await sealCompletedEnvelopes(sales.world)
    const browser = visitor(served)
    const done = await browser.get(await linkOf(TWO_SIGNERS[1].email))
    expect(done.text).toContain('is signed')
    expect(done.text).toContain('Certificate')
    const home = await linkOf(TWO_SIGNERS[1].email)
    const file = Buffer.from(await (await fetch(served.url(`${home}/signed.pdf`))).arrayBuffer())
    expect((await verify(file)).text).toContain('Valid and unchanged')
    file[file.length - 20]! ^= 1
    expect((await verify(file)).text).toContain('Changed after signing')
    expect((await verify(Buffer.from('%PDF-1.7 another file'))).text).toContain('Not signed here')
  })

  it('shows a signer of a voided contract only that the signing was cancelled', async () => {
    const contractId = await send()
    const home = await linkOf(TWO_SIGNERS[0].email)
    await sales.call('void_contract_envelope', { contractId, reason: 'Changed plans' })
    const page = await visitor(served).get(home)
    expect(page.status).toBe(410)
    expect(page.text).toContain('no longer open for signature')
  })

  it('opens the signing page while the event is a draft that was never published', async () => {
    const { world, olga, event } = sales
    const draft = await world.event({ at: event, name: 'Unpublished Days', status: 'draft' })
    const { contractId } = await createSigningFixtures(world, draft).contract()
    const at = { eventCode: draft.eventCode, contractId }
    const [signer] = [{ ...TWO_SIGNERS[0], email: 'early@hotel.example' }]
    await olga.call('mark_contract_ready_for_signature', at)
    await olga.call('send_contract_for_signature', { ...at, signers: [signer, TWO_SIGNERS[1]] })
    const home = await linkOf(signer.email)
    const browser = visitor(served)
    const first = await browser.get(home)
    expect([first.status, first.text.includes('Unpublished Days'), first.text.includes('Email me a code')]).toEqual([200, true, true])
    await browser.post(`${home}/send-code`, {}, { from: home })
    await browser.post(`${home}/code`, { code: await signing.latestCode(signer.email) }, { from: home })
    expect((await browser.get(home)).text).toContain('Room block')
    // The page of the event itself stays hidden.
    expect((await browser.get(eventHomePath(draft))).status).toBe(404)
  })

  it('returns 404 for an unknown signing link', async () => {
    expect((await visitor(served).get('/sign/sign_unknown')).status).toBe(404)
  })
})
