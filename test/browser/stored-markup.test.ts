import { createHash } from 'node:crypto'
import { Hono } from 'hono'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildContentSecurityPolicy } from '../../src/surfaces/web/content-policy.ts'
import { PUBLIC_EVENT_PATH } from '../../src/surfaces/web/event/event-site.ts'
import type { WebEnv } from '../../src/surfaces/web/web.ts'
import { openContext } from '../support/browser.ts'
import { assistantAt } from '../support/sign-in-codes.ts'
import { type PageFindings, isHarmless, LONG_MARKUP_PAYLOADS, SHORT_MARKUP_PAYLOADS, watchPage } from '../support/markup.ts'
import { eventHomePath } from '../support/own-pages.ts'
import { createApiAccountAt, createPersonAt } from '../support/participants.ts'
import { hiddenFieldsIn } from '../support/registration-form.ts'
import { buildAddresses, listPageRoutes } from '../support/route-walk.ts'
import type { SalesScenario } from '../support/sales-scenario.ts'
import type { Served } from '../support/server.ts'
import { soakRounds } from '../support/soak.ts'
import { openContextOf, openWholeEvent, type AudienceMember, type WholeEvent } from '../support/whole-event.ts'

/** Texts of participants, organizers and integrators must be escaped on every page and in every email. */

/** In each round every text contains another payload; after a soak run every text has contained every payload. */
const ROUNDS = Math.min(soakRounds(1), SHORT_MARKUP_PAYLOADS.length)

/** Routes without stored texts, or that cannot be opened with the data here. */
const EXCLUDED_ROUTES = new Set([
  // The setup page exists only before the first user is created.
  '/console/setup',
  // The floor plan list redirects to the first plan.
  '/console/events/:client/:event/floor-plans',
  // The second factor page requires a session with a password but without the second factor.
  '/console/sign-in/totp',
  // The sandbox page exists for charges of test data only.
  '/sandbox/:kind/:id',
  // The webhook page exists only if the client has a webhook.
  '/console/clients/:code/webhooks/:webhook{[0-9a-f]{24}}',
  // The invoice of a group exists only for groups that pay, and is a PDF.
  '/console/events/:client/:event/groups/:group/invoices/:bill{.+\\.pdf}',
  // The invoice of an exhibitor exists only for exhibitors who bought something, and is a PDF.
  `${PUBLIC_EVENT_PATH}/exhibitor/invoices/:file{.+\\.pdf}`,
  // A version of a rooming list is a file.
  '/console/events/:client/:event/housing/:hotel/lists/:list',
  // The offer page exists only for people who were offered a seat.
  `${PUBLIC_EVENT_PATH}/registration/offers/:entry`,
  // The return page exists only during a card payment.
  `${PUBLIC_EVENT_PATH}/register/:flow/pay/return`,
  `${PUBLIC_EVENT_PATH}/registration/pay/return`,
])
/** Pages opened by a token that only an email contains. The tokens of suppliers, signers and surveys are known here. */
const BY_TOKEN = /^(?!\/(?:supplier|sign|s)\/).*token|\/link$|\/password$/
const NO_PAGES = /^\/(assets|themes|covers|docs|api|\.well-known|embed\.js|door\/worker\.js)|^\/$/

let whole: WholeEvent
let scenario: SalesScenario
let served: Served
/** The id of the last checked email. Emails of earlier rounds are not checked again. */
let lastMail = ''

beforeAll(async () => {
  whole = await openWholeEvent({ morePages: controls })
  ;({ sales: scenario, served } = whole)
})
afterAll(() => scenario.world.end())

/** Control pages that print the payload unescaped, with and without our content security policy. */
const controls = () =>
  new Hono<WebEnv>().get('/control/:number/:policy', (c) => {
    const payload = [...SHORT_MARKUP_PAYLOADS, ...LONG_MARKUP_PAYLOADS][Number(c.req.param('number'))]!
    if (c.req.param('policy') === 'ours') c.header('content-security-policy', buildContentSecurityPolicy())
    return c.html(`<!doctype html><title>Control</title><p>${payload}x</p><input value="${payload}"><input value='${payload}'>`)
  })

const nth = (number: number) => SHORT_MARKUP_PAYLOADS[number % SHORT_MARKUP_PAYLOADS.length]!

/** Replaces every text of the event's document that people read. */
const injectIntoEvent = (round: number): Promise<number> =>
  whole.rewriteTexts((text, { n, html }) => {
    if (html) return `<p>${[...SHORT_MARKUP_PAYLOADS, ...LONG_MARKUP_PAYLOADS].slice(n % 7).join('</p><p>')}</p>`
    // Placeholders stay in the text, so that the participant's own texts are shown there too.
    return text.includes('{{') ? `${/\{\{[^}]*\}\}/.exec(text)![0]} ${nth(n + round)}` : nth(n + round)
  })

/** The query parameters that carry the same payloads. */
const QUERY_PARAMETERS = ['email', 'next', 'search', 'q', 'code', 'done', 'failed', 'utm_source', 'lang', 'cursor', 'status', 'preset']
const query = (round: number) => new URLSearchParams(QUERY_PARAMETERS.map((name, i): [string, string] => [name, nth(round + i)])).toString()

async function walk(
  people: readonly AudienceMember[],
  round: number,
): Promise<{ seen: Set<string>; loud: [string, PageFindings][]; pages: number }> {
  const [seen, loud, values] = [new Set<string>(), [] as [string, PageFindings][], await whole.known()]
  const looked = new Set<string>()
  for (const { name, who } of people) {
    const context = await openContextOf(served, who)
    const eyes = await watchPage(context, served.baseUrl)
    for (const route of listPageRoutes(scenario.world)) {
      if (NO_PAGES.test(route) || (name !== 'organizer' && name !== 'anonymous' && route.startsWith('/console'))) continue
      for (const address of buildAddresses(route, values)) {
        for (const path of name !== 'begun' ? [address, `${address}?${query(round)}`] : [address]) {
          const { status, headers, html } = await who.get(path)
          if (status >= 500) loud.push([`${status} ${name} ${path}`, { ran: [], asked: [], stopped: [], active: [] }])
          // A missing page is the same with any parameters, so the remaining ones are skipped. Redirects may depend on the query, so the
          // address with a query is still tried.
          if (status === 404) break
          if (status === 303 || status === 302) continue
          seen.add(route)
          if (!headers.get('content-type')?.startsWith('text/html')) continue
          // The same page is checked once for all visitors. The CSRF token is ignored.
          const contentHash = createHash('sha256')
            .update(html.replaceAll(/name="_csrf" value="[^"]*"/g, ''))
            .digest('base64')
          if (looked.has(contentHash)) continue
          looked.add(contentHash)
          const caught = await eyes.look((page) => page.goto(`${served.baseUrl}${path}`), {
            isMail: route === '/console/mailbox/:id/html' || route.endsWith('/emails/:email/html'),
          })
          if (!isHarmless(caught)) loud.push([`${name} ${path}`, caught])
        }
      }
    }
    await context.close()
  }
  return { seen, loud, pages: looked.size }
}

/** Submits invalid forms, whose pages repeat the input. */
async function submitInvalidForms({ who }: AudienceMember, round: number): Promise<string[]> {
  const home = eventHomePath(scenario.event)
  const shown: string[] = []
  const send = async (path: string, fields: Record<string, string>) => shown.push((await who.post(path, fields)).html)
  await send(`${home}/registration/sign-in`, { email: nth(round), next: nth(round + 1) })
  await send(`${home}/register/attendee`, { email: nth(round + 2), code: nth(round + 3) })
  await send('/console/sign-in', { email: nth(round + 4), password: nth(round + 5), next: nth(round + 6) })
  const signIn = `${home}/registration/sign-in/code`
  shown.push((await who.post(signIn, { email: nth(round + 7), code: nth(round + 8) }, { from: `${signIn}?email=a%40example.org` })).html)
  return shown
}

describe('markup in stored texts', () => {
  it('control: detects markup in stored texts on pages that print it unescaped, with and without our content security policy', async () => {
    const context = await openContext({ width: 1280, scheme: 'light', scripts: true })
    const eyes = await watchPage(context, served.baseUrl)
    const missed: string[] = []
    let ran = 0
    for (const [i, payload] of [...SHORT_MARKUP_PAYLOADS, ...LONG_MARKUP_PAYLOADS].entries()) {
      for (const policy of ['none', 'ours']) {
        const caught = await eyes.look((page) => page.goto(`${served.baseUrl}/control/${i}/${policy}`))
        if (isHarmless(caught)) missed.push(`${policy} ${payload}`)
        if (policy === 'ours') expect([payload, caught.ran]).toEqual([payload, []])
        else ran += caught.ran.length
      }
    }
    expect(missed).toEqual([])
    expect(ran).toBeGreaterThan(SHORT_MARKUP_PAYLOADS.length / 2)
    await context.close()
  })

  for (let round = 0; round < ROUNDS; round++) {
    it(`escapes stored markup on every page and in every email, round ${round + 1} of ${ROUNDS}`, { timeout: 1_200_000 }, async () => {
      const { world, event } = scenario
      expect(await injectIntoEvent(round)).toBeGreaterThan(50)
      await whole.rename((n) => nth(n * 5 + round))
      const people = await whole.audience(round, nth)
      const { seen, loud, pages } = await walk(people, round)
      expect(pages).toBeGreaterThan(30)
      const unseen = listPageRoutes(world).filter((route) => !seen.has(route) && !NO_PAGES.test(route) && !BY_TOKEN.test(route))
      expect({ loud, unseen: unseen.filter((route) => !EXCLUDED_ROUTES.has(route)) }).toEqual({ loud: [], unseen: [] })

      const account = await createApiAccountAt(world, event, nth(round))
      await (await assistantAt(world, event, account)).request(`code-${round}@example.org`)
      const guest = await createPersonAt(world, event, { account, email: `done-${round}@example.org`, registrations: 0 })
      const { companies } = await guest.call('list_exhibitor_availability')
      await guest.call('book_exhibitor_appointment', { slotId: companies[0].slots[0].slotId, message: nth(round) })
      const [, , done] = people
      const cancel = `${eventHomePath(event)}/registration/cancel`
      const page = await done!.who.get(cancel)
      expect((await done!.who.post(cancel, { ...hiddenFieldsIn(page.html), agree: 'on' }, { csrf: null })).status).toBe(303)

      const context = await openContext({ width: 1280, scheme: 'light', scripts: true })
      const eyes = await watchPage(context, served.baseUrl)
      const { rows } = await world.database.pool.query<{ id: string; code: string; html: string }>(
        `select id, coalesce(email_code, source_kind) as code, html_body as html from messages
         where html_body is not null and id > $1 order by id`,
        [lastMail],
      )
      lastMail = rows.at(-1)!.id
      expect(new Set(rows.map(({ code }) => code)).size).toBeGreaterThanOrEqual(5)
      for (const { code, html } of rows) {
        const caught = await eyes.look((email) => email.setContent(html), { isMail: true })
        expect([code, caught]).toEqual([code, { ran: [], asked: [], stopped: [], active: [] }])
      }
      for (const html of await submitInvalidForms(people[0]!, round)) {
        const caught = await eyes.look((form) => form.setContent(html))
        expect(caught).toMatchObject({ ran: [], active: [] })
      }
      await context.close()
    })
  }
})
