import { createHash } from 'node:crypto'
import { Hono } from 'hono'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { contentSecurityPolicy } from '../../src/surfaces/web/content-policy.ts'
import { EVENT_PATH } from '../../src/surfaces/web/event/event-site.ts'
import type { WebEnv } from '../../src/surfaces/web/web.ts'
import { openAs } from '../support/browser.ts'
import { assistantAt } from '../support/codes.ts'
import { type Caught, isQuiet, LONG_PAYLOADS, PAYLOADS, watch } from '../support/markup.ts'
import { homeOf } from '../support/own-pages.ts'
import { apiAccountAt, personAt } from '../support/participants.ts'
import { hiddenIn } from '../support/registering.ts'
import { addressesOf, pageRoutes } from '../support/route-walk.ts'
import type { Selling } from '../support/selling.ts'
import type { Served } from '../support/server.ts'
import { times } from '../support/soak.ts'
import { contextOf, openWholeEvent, type Somebody, type WholeEvent } from '../support/whole-event.ts'

/** Texts of participants, organizers and integrators must be escaped on every page and in every email. */

/** In each round every text contains another payload; after a soak run every text has contained every payload. */
const ROUNDS = Math.min(times(1), PAYLOADS.length)

/** Routes without stored texts, or that cannot be opened with the data here. */
const ELSEWHERE = new Set([
  // Before the first user exists.
  '/console/setup',
  // With a password and without the second factor.
  '/console/sign-in/totp',
  // Charges of test data only.
  '/sandbox/:kind/:id',
  // If a webhook exists.
  '/console/clients/:code/webhooks/:webhook{[0-9a-f]{24}}',
  // During a card payment.
  `${EVENT_PATH}/register/:flow/pay/return`,
  `${EVENT_PATH}/registration/pay/return`,
])
/** Opened by a token that only an email contains. */
const BY_TOKEN = /token|\/link$|\/password$/
const NO_PAGES = /^\/(assets|themes|covers|docs|api|\.well-known|embed\.js)|^\/$/

let whole: WholeEvent
let story: Selling
let served: Served
/** Emails of earlier rounds were already checked. */
let lastMail = ''

beforeAll(async () => {
  whole = await openWholeEvent({ morePages: controls })
  ;({ story, served } = whole)
})
afterAll(() => story.world.end())

/** Control pages that print the payload unescaped, with and without our content security policy. */
const controls = () =>
  new Hono<WebEnv>().get('/control/:number/:policy', (c) => {
    const payload = [...PAYLOADS, ...LONG_PAYLOADS][Number(c.req.param('number'))]!
    if (c.req.param('policy') === 'ours') c.header('content-security-policy', contentSecurityPolicy())
    return c.html(`<!doctype html><title>Control</title><p>${payload}x</p><input value="${payload}"><input value='${payload}'>`)
  })

const nth = (number: number) => PAYLOADS[number % PAYLOADS.length]!

/** Replaces every text of the event's document that people read. */
const spoilEvent = (round: number): Promise<number> =>
  whole.rewriteTexts((text, { n, html }) => {
    if (html) return `<p>${[...PAYLOADS, ...LONG_PAYLOADS].slice(n % 7).join('</p><p>')}</p>`
    // Placeholders stay in the text, so that the participant's own texts are shown there too.
    return text.includes('{{') ? `${/\{\{[^}]*\}\}/.exec(text)![0]} ${nth(n + round)}` : nth(n + round)
  })

/** The same payloads in query parameters. */
const ASKED = ['email', 'next', 'search', 'q', 'code', 'done', 'failed', 'utm_source', 'lang', 'cursor', 'status', 'preset']
const query = (round: number) => new URLSearchParams(ASKED.map((name, i): [string, string] => [name, nth(round + i)])).toString()

async function walk(people: readonly Somebody[], round: number): Promise<{ seen: Set<string>; loud: [string, Caught][]; pages: number }> {
  const [seen, loud, values] = [new Set<string>(), [] as [string, Caught][], await whole.known()]
  const looked = new Set<string>()
  for (const { name, who } of people) {
    const context = await contextOf(served, who)
    const eyes = await watch(context, served.baseUrl)
    for (const route of pageRoutes(story.world)) {
      if (NO_PAGES.test(route) || (name !== 'organizer' && name !== 'nobody' && route.startsWith('/console'))) continue
      for (const address of addressesOf(route, values)) {
        for (const path of name !== 'begun' ? [address, `${address}?${query(round)}`] : [address]) {
          const { status, headers, html } = await who.get(path)
          if (status >= 500) loud.push([`${status} ${name} ${path}`, { ran: [], asked: [], stopped: [], active: [] }])
          // A missing page does not depend on its parameters; redirects may wait for an address.
          if (status === 404) break
          if (status === 303 || status === 302) continue
          seen.add(route)
          if (!headers.get('content-type')?.startsWith('text/html')) continue
          // The same page is checked once for all visitors. The CSRF token is ignored.
          const told = createHash('sha256')
            .update(html.replaceAll(/name="_csrf" value="[^"]*"/g, ''))
            .digest('base64')
          if (looked.has(told)) continue
          looked.add(told)
          const caught = await eyes.look((page) => page.goto(`${served.baseUrl}${path}`), { isMail: route === '/console/mailbox/:id/html' })
          if (!isQuiet(caught)) loud.push([`${name} ${path}`, caught])
        }
      }
    }
    await context.close()
  }
  return { seen, loud, pages: looked.size }
}

/** Pages that repeat invalid form input. */
async function wrongForms({ who }: Somebody, round: number): Promise<string[]> {
  const home = homeOf(story.event)
  const shown: string[] = []
  const send = async (path: string, fields: Record<string, string>) => shown.push((await who.post(path, fields)).html)
  await send(`${home}/registration/sign-in`, { email: nth(round), next: nth(round + 1) })
  await send(`${home}/register/attendee`, { email: nth(round + 2), code: nth(round + 3) })
  await send('/console/sign-in', { email: nth(round + 4), password: nth(round + 5), next: nth(round + 6) })
  const signIn = `${home}/registration/sign-in/code`
  shown.push((await who.post(signIn, { email: nth(round + 7), code: nth(round + 8) }, { from: `${signIn}?email=a%40example.org` })).html)
  return shown
}

describe('stored markup', () => {
  it('control: is detected on pages that print it unescaped, with and without our policy', async () => {
    const context = await openAs({ width: 1280, scheme: 'light', scripts: true })
    const eyes = await watch(context, served.baseUrl)
    const missed: string[] = []
    let ran = 0
    for (const [i, payload] of [...PAYLOADS, ...LONG_PAYLOADS].entries()) {
      for (const policy of ['none', 'ours']) {
        const caught = await eyes.look((page) => page.goto(`${served.baseUrl}/control/${i}/${policy}`))
        if (isQuiet(caught)) missed.push(`${policy} ${payload}`)
        if (policy === 'ours') expect([payload, caught.ran]).toEqual([payload, []])
        else ran += caught.ran.length
      }
    }
    expect(missed).toEqual([])
    expect(ran).toBeGreaterThan(PAYLOADS.length / 2)
    await context.close()
  })

  for (let round = 0; round < ROUNDS; round++) {
    it(`is escaped on every page and in every email, round ${round + 1} of ${ROUNDS}`, { timeout: 1_200_000 }, async () => {
      const { world, event } = story
      expect(await spoilEvent(round)).toBeGreaterThan(50)
      await whole.rename((n) => nth(n * 5 + round))
      const people = await whole.audience(round, nth)
      const { seen, loud, pages } = await walk(people, round)
      expect(pages).toBeGreaterThan(30)
      const unseen = pageRoutes(world).filter((route) => !seen.has(route) && !NO_PAGES.test(route) && !BY_TOKEN.test(route))
      expect({ loud, unseen: unseen.filter((route) => !ELSEWHERE.has(route)) }).toEqual({ loud: [], unseen: [] })

      const account = await apiAccountAt(world, event, nth(round))
      await (await assistantAt(world, event, account)).request(`code-${round}@example.org`)
      const guest = await personAt(world, event, { account, email: `done-${round}@example.org`, registrations: 0 })
      const { companies } = await guest.call('list_exhibitor_availability')
      await guest.call('book_exhibitor_appointment', { slotId: companies[0].slots[0].slotId, message: nth(round) })
      const [, , done] = people
      const cancel = `${homeOf(event)}/registration/cancel`
      const page = await done!.who.get(cancel)
      expect((await done!.who.post(cancel, { ...hiddenIn(page.html), agree: 'on' }, { csrf: null })).status).toBe(303)

      const context = await openAs({ width: 1280, scheme: 'light', scripts: true })
      const eyes = await watch(context, served.baseUrl)
      const { rows } = await world.database.pool.query<{ id: string; code: string; html: string }>(
        `select id, coalesce(email_code, source_kind) as code, html_body as html from messages
         where html_body is not null and id > $1 order by id`,
        [lastMail],
      )
      lastMail = rows.at(-1)!.id
      expect(new Set(rows.map(({ code }) => code)).size).toBeGreaterThanOrEqual(5)
      for (const { code, html } of rows) {
        const caught = await eyes.look((mail) => mail.setContent(html), { isMail: true })
        expect([code, caught]).toEqual([code, { ran: [], asked: [], stopped: [], active: [] }])
      }
      for (const html of await wrongForms(people[0]!, round)) {
        const caught = await eyes.look((form) => form.setContent(html))
        expect(caught).toMatchObject({ ran: [], active: [] })
      }
      await context.close()
    })
  }
})
