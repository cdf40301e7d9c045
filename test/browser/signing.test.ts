import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Signature } from '../../src/domains/signing/tables.ts'
import { findProblemsInLooks, openContext, WALKS } from '../support/browser.ts'
import { followLink, pressAt, typeInto } from '../support/keyboard.ts'
import { buildRoomSections } from '../support/hotels.ts'
import { openSalesScenario, type SalesScenario } from '../support/sales-scenario.ts'
import { chooseFreeBaseUrl, serve } from '../support/server.ts'
import { sealCompletedEnvelopes, createSigningFixtures, TWO_SIGNERS } from '../support/signing.ts'

describe('signing a contract in a browser', () => {
  let sales: SalesScenario
  let signing: ReturnType<typeof createSigningFixtures>
  beforeAll(async () => {
    sales = await openSalesScenario(buildRoomSections(), { baseUrl: await chooseFreeBaseUrl() })
    await serve(sales.world)
    signing = createSigningFixtures(sales.world, sales.event)
  })
  afterAll(() => sales.world.end())

  const emailOf = (label: string) => `clara-${label}@hotel.example`

  /** Sends a contract that the client signs first, and returns the link in the email to the supplier. */
  async function sendContract(label: string): Promise<string> {
    const { contractId } = await signing.contract()
    await sales.call('mark_contract_ready_for_signature', { contractId })
    const signers = [TWO_SIGNERS[0], { ...TWO_SIGNERS[1], email: emailOf(label) }]
    const { envelope } = await sales.call('send_contract_for_signature', { contractId, signers })
    const [client] = await signing.signers(envelope.id)
    await signing.open(client!.id)
    await signing.sign(client!.id)
    const { rows } = await sales.world.database.pool.query<{ text: string }>(
      `select text_body as text from messages where to_address = $1 and email_code = 'signature-request' order by id desc limit 1`,
      [emailOf(label)],
    )
    return /https?:\/\/\S+\/sign\/[\w-]+/.exec(rows[0]!.text)![0]
  }

  const readSignature = async (label: string): Promise<Signature | null> =>
    (
      await sales.world.database.pool.query<{ signature: Signature | null }>(
        'select signature from envelope_signers where email = $1 order by id desc limit 1',
        [emailOf(label)],
      )
    ).rows[0]!.signature

  /** Types the emailed code, and shows the contract. */
  async function openContract(page: Page, home: string, label: string): Promise<void> {
    await page.goto(home)
    await page.click('form[action$="/send-code"] button')
    await page.fill('#code', await signing.latestCode(emailOf(label)))
    await page.click('form[action$="/code"] button')
    expect(await page.textContent('.paper')).toContain('Room block')
  }

  const submit = (page: Page) => page.click('form[action$="/sign"] button[type="submit"]')

  it.each(WALKS)('shows the contract after the emailed code, and accepts consent and a typed signature ($label)', async (walk) => {
    const { label, looks } = walk
    const home = await sendContract(label)
    const page = await (await openContext({ ...looks[0], scripts: walk.scripts })).newPage()
    await page.goto(home)
    expect(await page.textContent('main')).not.toContain('Room block')
    expect(await findProblemsInLooks(page, looks, 'sign-start')).toEqual([])
    await page.click('form[action$="/send-code"] button')
    expect(await findProblemsInLooks(page, looks, 'sign-code')).toEqual([])
    await openContract(page, home, label)
    expect(await findProblemsInLooks(page, looks, 'sign-read')).toEqual([])

    await page.fill('#name', 'Clara M. Moser')
    await submit(page)
    expect(await page.textContent('.notice.danger')).toContain('Confirm that you')
    expect(await page.inputValue('#name')).toBe('Clara M. Moser')
    expect(await findProblemsInLooks(page, looks, 'sign-error')).toEqual([])
    expect(await readSignature(label)).toBeNull()

    await page.check('#consent')
    await submit(page)
    expect(await readSignature(label)).toEqual({ typed: 'Clara M. Moser' })
    await sealCompletedEnvelopes(sales.world)
    await page.reload()
    expect(await findProblemsInLooks(page, looks, 'sign-done')).toEqual([])
    const [file] = await Promise.all([page.waitForEvent('download'), page.click('a[href$="/signed.pdf"]')])
    await page.click('a[href="/verify"]')
    expect(await findProblemsInLooks(page, looks, 'verify')).toEqual([])
    await page.setInputFiles('#pdf', await file.path())
    await page.click('form[action="/verify"] button')
    expect(await page.textContent('.verification')).toContain('Valid and unchanged')
    expect(await findProblemsInLooks(page, looks, 'verify-valid')).toEqual([])
    await page.setInputFiles('#pdf', { name: 'other.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7 other') })
    await page.click('form[action="/verify"] button')
    expect(await page.textContent('.verification')).toContain('Not signed here')
    expect(await findProblemsInLooks(page, looks, 'verify-unknown')).toEqual([])
  })

  it.each(WALKS)('leads a signer from the emailed link to a signature by keyboard alone ($label)', async ({ label, looks, scripts }) => {
    const who = `keys-${label}`
    const page = await (await openContext({ ...looks[0], scripts })).newPage()
    await page.goto(await sendContract(who))
    await followLink(page, 'form[action$="/send-code"] button')
    await typeInto(page, '#code', await signing.latestCode(emailOf(who)))
    await followLink(page, 'form[action$="/code"] button')
    await typeInto(page, '#name', 'Clara Moser')
    await pressAt(page, '#consent', 'Space')
    await followLink(page, 'form[action$="/sign"] button[type="submit"]')
    expect(await readSignature(who)).toEqual({ typed: 'Clara Moser' })
  })

  it('lets a signer draw, clear and redraw the signature of a contract', async () => {
    const home = await sendContract('drawing')
    const page = await (await openContext({ width: 1280, scheme: 'light', scripts: true })).newPage()
    await openContract(page, home, 'drawing')
    await page.check('[name="how"][value="draw"]')
    await page.check('#consent')
    const draw = async () => {
      await page.locator('canvas').scrollIntoViewIfNeeded()
      const box = (await page.locator('canvas').boundingBox())!
      await page.mouse.move(box.x + 40, box.y + 100)
      await page.mouse.down()
      for (const [x, y] of [
        [120, 30],
        [200, 110],
        [320, 40],
      ] as const)
        await page.mouse.move(box.x + x, box.y + y, { steps: 5 })
      await page.mouse.up()
    }
    await draw()
    expect(await page.inputValue('[name="drawn"]')).toMatch(/^data:image\/png;base64,/)
    await page.click('.signature-box button')
    expect(await page.inputValue('[name="drawn"]')).toBe('')

    await submit(page)
    expect(await page.textContent('.notice.danger')).toContain('Draw your signature')
    expect(await page.isChecked('[name="how"][value="draw"]')).toBe(true)

    await page.check('#consent')
    await draw()
    const drawn = (await page.inputValue('[name="drawn"]')).replace('data:image/png;base64,', '')
    await submit(page)
    expect(await readSignature('drawing')).toEqual({ drawn })
  })
})
