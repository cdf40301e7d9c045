import { afterAll, beforeAll, it } from 'vitest'
import { submitConsent, openStage, openSignedInVisitor, type Stage } from '../oauth/flow.ts'
import { executePage } from '../support/executed-page.ts'

let stage: Stage

beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.end())

it('documents OAuth requests and responses that match those of the server', async () => {
  const { served, olga } = stage
  const page = executePage('oauth', { served })
  page.declareValue(encodeURIComponent('https://lanyard.example'), encodeURIComponent(served.baseUrl))
  await page.runUntil('5. The person agrees')
  const returned = await submitConsent(await openSignedInVisitor(stage, olga.userId), page.last().headers.location)
  await page.runUntil('6. Exchange the code for tokens')
  page.expectExample('5. The person agrees', returned.href)
  await page.runUntil()
  page.finish()
})
