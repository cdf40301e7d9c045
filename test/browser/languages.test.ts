import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LANGUAGES, chooseTranslator } from '../../src/kernel/language/translator.ts'
import { WALKED_LOOKS, openContext } from '../support/browser.ts'
import { findEnglish } from '../support/english-texts.ts'
import { GERMAN_EVENT } from '../support/german-event.ts'
import { readPdfText } from '../support/pdf-text.ts'
import { buildEventPath } from '../support/registration-form.ts'
import { openSalesScenario, type SalesScenario } from '../support/sales-scenario.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'

/**
 * Tests the whole registration in every language: pages with their errors, emails and the invoice. The event's own texts are German, so
 * any English text comes from the product.
 */

let selling: SalesScenario
let served: Served

beforeAll(async () => {
  selling = await openSalesScenario(GERMAN_EVENT, { baseUrl: await chooseFreeBaseUrl(), timezone: 'Europe/Vienna', startsOn: '2026-09-16' })
  await selling.call('update_event', { locales: [...LANGUAGES] })
  served = await serve(selling.world)
})
afterAll(() => selling.world.end())

/** All text of the page that is displayed or read by a screen reader. */
const readVisibleText = (page: Page): Promise<string> =>
  page.evaluate(`[
    document.title,
    document.body.innerText,
    ...[...document.querySelectorAll('[aria-label], [title], [alt], [placeholder]')].flatMap((one) =>
      ['aria-label', 'title', 'alt', 'placeholder'].map((name) => one.getAttribute(name) ?? '')),
  ].join(' | ')`)

const named = (name: string) => `[name="${name}"]`

/** Registers a participant in the language, with an error on the way, and returns the texts of all pages. */
async function register(context: BrowserContext, language: string, email: string): Promise<{ texts: string[]; page: Page }> {
  const page = await context.newPage()
  const texts: string[] = []
  const seen = async () => {
    expect(await page.getAttribute('html', 'lang')).toBe(language)
    // The language switch and long texts fit on the page.
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    expect((await page.locator('.event-bar .who').boundingBox())!.width).toBeGreaterThan(180)
    texts.push(await readVisibleText(page))
  }
  const press = async (button = '.bar button.primary') => {
    await page.click(button)
    await page.waitForLoadState()
    await seen()
  }
  await page.goto(`${served.baseUrl}${buildEventPath(selling.event)}?lang=${language}`)
  await seen()
  // The language is kept without the parameter.
  await page.goto(`${served.baseUrl}${buildEventPath(selling.event)}/register/anmeldung`)
  await page.fill('#email', email)
  await press('main button.primary')
  await page.fill(named('@participant.firstName'), 'Hanna')
  await press()
  expect(await page.locator('[role=alert]').count()).toBe(1)
  await page.fill(named('@participant.lastName'), `Berger-${language}`)
  await page.check(`${named('@custom.essen')}[value="alles"]`)
  await page.selectOption(named('@participant.country'), 'AT')
  await press()
  await page.check(`${named('one.karte')}[value="voll"]`)
  await page.fill(named('@product.gala'), '1')
  await press()
  await page.fill(named('@policy.agb'), 'Hanna Berger')
  await page.check(`${named('_method')}[value="bank"]`)
  await press()
  await press()
  expect(page.url()).toMatch(/\/done$/)
  return { texts, page }
}

const [AT_DESK, ON_PHONE] = WALKED_LOOKS
/** French has the longest texts. */
const lookFor = (language: string) => (language === 'fr' ? ON_PHONE : AT_DESK)

describe.each(LANGUAGES)('registration in %s', (language) => {
  const look = lookFor(language)
  const { say } = chooseTranslator(language)
  const squeezed = (text: string) => text.replaceAll(/\s/g, '')

  it('shows registration pages, emails and the invoice in the selected language', async () => {
    const context = await openContext(look)
    const email = `hanna.${language}@linden.example`
    const { texts, page } = await register(context, language, email)
    const readEmails = async () =>
      (
        await selling.world.database.pool.query<{ subject: string; text_body: string }>(
          'select subject, text_body from messages where to_address = $1 order by id',
          [email],
        )
      ).rows
    const subject = say('mail.completed.subject', { event: GERMAN_EVENT.details.name })
    await expect.poll(async () => (await readEmails()).map((one) => one.subject)).toContain(subject)
    const emails = await readEmails()
    const invoice = await page.locator('a[href*=".pdf"]').first().getAttribute('href')
    const pdf = readPdfText(await (await context.request.get(new URL(invoice!, page.url()).href)).body())
    await context.close()

    expect(texts).toHaveLength(7)
    expect(texts.at(-1)).toContain(say('register.next.title'))
    for (const key of ['invoice.invoice', 'invoice.dueOn', 'invoice.billTo', 'invoice.quantity', 'invoice.balance'] as const)
      expect(squeezed(pdf)).toContain(squeezed(say(key)))
    const all = [...texts, pdf, ...emails.flatMap((one) => [one.subject, one.text_body])]
    for (const text of all) {
      if (language !== 'en') expect(findEnglish(language, text)).toEqual([])
      // Control: English text is found where it is expected.
      else expect(findEnglish('de', text)).not.toEqual([])
    }
  })
})
