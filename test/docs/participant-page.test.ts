import { afterAll, beforeAll, it } from 'vitest'
import { createMailboxMailer } from '../../src/platform/mailer.ts'
import { sendEmailBatch } from '../../src/surfaces/worker/send-emails.ts'
import { readLatestCode, chooseWrongCode } from '../support/sign-in-codes.ts'
import { executePage } from '../support/executed-page.ts'
import { openFormAs } from '../support/registration-form.ts'
import { buildLegacyMessage, PARTICIPANT_PATH, postMessage } from '../support/rpc.ts'
import { visitor } from '../support/visitor.ts'
import { openSummit, type Summit } from './summit.ts'

let summit: Summit

beforeAll(async () => {
  summit = await openSummit()
})
afterAll(() => summit.world.end())

/** The participant opens the link, chooses a product and finishes. */
async function finishes(url: string): Promise<void> {
  const browser = visitor(summit.served)
  await browser.get(url)
  const ana = openFormAs(browser, summit.event)
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

it('documents a registration by an assistant that works as shown', async () => {
  const { world, served, account } = summit
  let session = ''
  const page = executePage('participant-walk-through', {
    served,
    variables: { API_TOKEN: account.token },
    async call(params) {
      const { headers, body } = buildLegacyMessage('tools/call', params)
      const sent = session === '' ? headers : { ...headers, 'x-participant-session': session }
      const { result } = (await postMessage(served, account.token, { headers: sent, body }, PARTICIPANT_PATH)).json
      session = result.structuredContent?.session?.token ?? session
      return result
    },
  })
  await page.runUntil('2. Verify it')
  const code = await readLatestCode(world, 'ana@example.org')
  page.declareValue('482913', code)
  page.declareValue('482914', chooseWrongCode(code))
  await page.runUntil('5. A session of a registered person')
  const { url } = page.last()
  await page.runUntil('6. Work on the registration')
  await finishes(url)
  page.declareValue('705118', await readLatestCode(world, 'ana@example.org'))
  const { database, log } = world.services
  await sendEmailBatch({ pool: database.pool, mailer: createMailboxMailer(), log, from: 'events@example.org', batch: 50 })
  await page.runUntil()
  page.finish()
})
