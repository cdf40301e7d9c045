import { afterAll, beforeAll, it } from 'vitest'
import { mailboxMailer } from '../../src/platform/mailer.ts'
import { sendDueEmails } from '../../src/surfaces/worker/send-emails.ts'
import { newestCodeOf, wrong } from '../support/codes.ts'
import { playPage } from '../support/page-play.ts'
import { registrantAt } from '../support/registering.ts'
import { legacy, PARTICIPANT, post } from '../support/rpc.ts'
import { visitor } from '../support/visitor.ts'
import { openSummit, type Summit } from './summit.ts'

let summit: Summit

beforeAll(async () => {
  summit = await openSummit()
})
afterAll(() => summit.world.end())

/** She opens the link, chooses and finishes. */
async function finishes(url: string): Promise<void> {
  const browser = visitor(summit.served)
  await browser.get(url)
  const ana = registrantAt(browser, summit.event)
  await ana.fill('contact', {
    '@participant.firstName': 'Ana',
    '@participant.lastName': 'Lima',
    '@participant.company': 'Borealis',
    '@custom.topics': ['ai'],
  })
  await ana.fill('choices', { '@product.pass': '1', _method: 'bank' })
  const done = await ana.fill('summary', {}, { press: 'finish' })
  if (!done.location?.endsWith('/done')) throw new Error(`not finished: ${done.status} ${done.location} ${done.text.slice(0, 500)}`)
}

it('the page about registering somebody is what an assistant does, and ends with somebody who is registered', async () => {
  const { world, served, account } = summit
  let session = ''
  const page = playPage('participant-walk-through', {
    served,
    variables: { API_TOKEN: account.token },
    async call(params) {
      const { headers, body } = legacy('tools/call', params)
      const sent = session === '' ? headers : { ...headers, 'x-participant-session': session }
      const { result } = (await post(served, account.token, { headers: sent, body }, PARTICIPANT)).json
      session = result.structuredContent?.session?.token ?? session
      return result
    },
  })
  await page.play('2. Verify it')
  const code = await newestCodeOf(world, 'ana@example.org')
  page.know('482913', code)
  page.know('482914', wrong(code))
  await page.play('5. A session of a registered person')
  const { url } = page.last()
  await page.play('6. Work on the registration')
  await finishes(url)
  page.know('705118', await newestCodeOf(world, 'ana@example.org'))
  const { database, log } = world.services
  await sendDueEmails({ pool: database.pool, mailer: mailboxMailer(), log, from: 'events@example.org', batch: 50 })
  await page.play()
  page.finish()
})
